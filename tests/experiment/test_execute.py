"""One run: what it leaves behind, which step it tests, how it ends when its loss does."""

import hashlib
import json
import math
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch

from experiment import toy
from experiment.running import MECHANISM, NOISY, WANDERING, result, run_in_process, toy_spec
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.report.reading import read_result


def curve(folder: Path, name: str) -> dict[int, float]:
    rows = [json.loads(line) for line in (folder / "curves.jsonl").read_text().splitlines()]
    return {row["step"]: row[name] for row in rows if name in row}


def test_the_result_says_what_was_run_and_what_came_out(done: Path) -> None:
    content = result(done)
    assert content["schema"] == 1
    assert (content["experiment"], content["variant"], content["seed"]) == ("toy", "plain", 0)
    assert content["differences"] == {"task.mechanism": NOISY}
    assert content["config"] == WANDERING.config
    assert content["config_hash"] == WANDERING.config_hash
    assert content["notes"] == [
        "experiment.toy.Noisy is not of this suite",
        "experiment.toy.ToyData is not of this suite",
        "experiment.toy.ToyTask is not of this suite",
        "a line instead of a network",
        "a toy",
    ]
    assert content["sources"] == {
        "experiment.toy": hashlib.sha256(Path(toy.__file__).read_bytes()).hexdigest()
    }
    assert content["steps"] == 20
    assert content["ended"] == "completed"
    assert content["parameters"] == 32
    assert content["departures"] == []
    assert content["data"] == {
        "name": "points",
        "sha256": "0" * 64,
        "description": {"splits": {"test": {"batches": 4}}},
    }
    assert set(content["metrics"]) == {"test/error", "test/loss", "val/error", "val/loss"}
    assert content["metrics"]["test/error"]["signature"] == "mean absolute error"


def test_the_result_says_where_it_comes_from(done: Path) -> None:
    origin = result(done)["provenance"]
    assert origin["command"] == "mocha-lightning run toy.yaml"
    assert origin["files"] == {"toy.yaml": "f" * 64}
    # No commit has such a file.
    assert origin["dirty"] is not False
    assert origin["threads"] == 1
    assert {"python", "torch", "pytorch-lightning", "mocha-lightning"} <= set(origin["versions"])
    # The corpus says itself what it hangs on.
    assert origin["versions"]["PyYAML"] == version("PyYAML")
    assert origin["hardware"]
    assert origin["seconds"] > 0
    assert origin["peak_memory_mib"] > 0


def test_the_report_can_read_the_result(done: Path) -> None:
    assert read_result(done / "result.json").metrics["test/error"].value > 0


def test_all_that_is_logged_at_a_step_is_one_record(done: Path) -> None:
    rows = [json.loads(line) for line in (done / "curves.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == list(range(1, 21))
    assert {"train/loss", "train/learning_rate", "val/error", "val/loss"} <= set(rows[19])
    assert not any(name.startswith("val/") for name in rows[18])


def test_the_step_that_was_best_on_validation_is_the_one_tested(done: Path) -> None:
    content = result(done)
    errors = curve(done, "val/error")
    best = min(errors, key=errors.__getitem__)
    assert list(errors) == [5, 10, 15, 20]
    assert best != 20
    assert content["best_step"] == best
    assert content["metrics"]["val/error"]["value"] == errors[best]


def test_the_test_uses_the_weights_of_the_best_step(done: Path, tmp_path: Path) -> None:
    best = result(done)["best_step"]
    trainer = {**WANDERING.config["trainer"], "max_steps": best}
    short = replace(WANDERING, config={**WANDERING.config, "trainer": trainer})
    run_in_process(short, tmp_path)
    assert result(tmp_path)["metrics"] == result(done)["metrics"]


def test_predictions_are_kept(done: Path) -> None:
    lines = (done / "predictions.jsonl").read_text().splitlines()
    assert len(lines) == 4 * 8
    assert set(json.loads(lines[0])) == {"x", "y"}


def test_progress_ends_in_done(done: Path) -> None:
    progress = read_progress(done)
    assert (progress.phase, progress.step, progress.steps) == ("done", 20, 20)
    assert progress.validation["val/error"] == curve(done, "val/error")[20]
    assert progress.best["val/error"] == min(curve(done, "val/error").values())


def test_a_finished_run_is_not_done_again(done: Path) -> None:
    before = (done / "result.json").stat().st_mtime_ns
    assert run_in_process(WANDERING, done) == 0
    assert (done / "result.json").stat().st_mtime_ns == before


def test_a_loss_that_is_no_number_ends_the_run_which_is_complete_all_the_same(
    tmp_path: Path,
) -> None:
    assert run_in_process(toy_spec(nan_from=12), tmp_path) == 0
    content = result(tmp_path)
    assert content["ended"] == "the training loss was nan at step 12"
    progress = read_progress(tmp_path)
    assert (progress.phase, progress.step) == ("diverged", 12)
    assert content["steps"] == 12
    assert content["best_step"] == 10
    # The names are those of a run that ended well, so that both can stand in one table.
    assert {name: each["value"] for name, each in content["metrics"].items()} == {
        "test/error": None,
        "test/loss": None,
        "val/error": None,
        "val/loss": None,
    }
    assert math.isnan(read_result(tmp_path / "result.json").metrics["test/error"].value)


def test_attention_that_is_no_number_ends_the_run_in_the_same_way(tmp_path: Path) -> None:
    """Its weights being no numbers themselves by then."""
    assert run_in_process(toy_spec(not_a_number_at=12), tmp_path) == 0
    content = result(tmp_path)
    assert content["ended"] == "at output 3, the logits are NaN at step 12"
    assert (content["steps"], content["best_step"]) == (12, 10)
    assert set(content["metrics"]) == {"test/error", "test/loss", "val/error", "val/loss"}


def test_a_metric_that_the_task_does_not_log_is_said_with_those_it_does(tmp_path: Path) -> None:
    assert run_in_process(toy_spec(metric="test/wer"), tmp_path) == 2
    assert (
        "error: metric.name: ToyTask logs no val/wer: choose among val/error, val/loss"
        in (tmp_path / "log.txt").read_text()
    )
    assert not (tmp_path / "result.json").exists()


def test_a_run_that_raises_says_so_in_its_log_and_its_progress(tmp_path: Path) -> None:
    assert run_in_process(toy_spec(fail_at=3), tmp_path) == 1
    log = (tmp_path / "log.txt").read_text()
    assert log.rstrip().endswith("RuntimeError: the toy was told to fail")
    progress = read_progress(tmp_path)
    assert progress.phase == "failed"
    assert progress.problem == "RuntimeError: the toy was told to fail"


@pytest.mark.parametrize(
    ("mode", "value", "than", "better"),
    [
        ("min", 1.0, 2.0, True),
        ("min", 2.0, 1.0, False),
        ("max", 2.0, 1.0, True),
        ("min", 1.0, 1.0, False),
        ("min", math.nan, 1.0, False),
        ("min", 1.0, math.nan, True),
        ("max", math.nan, math.nan, False),
    ],
)
def test_the_first_of_equal_steps_is_best_and_nan_never(
    mode: Any, value: float, than: float, better: bool
) -> None:
    assert Metric("test/error", mode).better(value, than) is better


def test_variants_of_a_seed_share_their_batches_and_the_weights_they_have_in_common(
    done: Path, tmp_path: Path
) -> None:
    wide = {**MECHANISM, "init_args": {"wide": True}}
    run_in_process(toy_spec(seed=0, mechanism=wide), tmp_path / "wide")
    run_in_process(toy_spec(seed=1, mechanism=wide), tmp_path / "other seed")
    batches, weights = curve(done, "train/batch"), curve(done, "train/shared")
    assert len(batches) == 20
    assert curve(tmp_path / "wide", "train/batch") == batches
    assert curve(tmp_path / "wide", "train/shared")[1] == weights[1]
    assert curve(tmp_path / "other seed", "train/batch") != batches
    assert curve(tmp_path / "other seed", "train/shared")[1] != weights[1]


def test_checkpoints_keep_what_was_best_in_themselves(done: Path, tmp_path: Path) -> None:
    """So a folder that was moved, or is reached by another path, is gone on from all the same."""
    run_in_process(WANDERING, tmp_path / "before", dies_at="training 17")
    (tmp_path / "before").rename(tmp_path / "after")
    run_in_process(WANDERING, tmp_path / "after")
    assert result(tmp_path / "after")["metrics"] == result(done)["metrics"]


def test_what_the_task_illustrates_is_kept_with_the_weights_of_the_best_step(done: Path) -> None:
    assert (done / "line.png").read_bytes() == toy.PNG
    best = torch.load(done / "checkpoints" / "best.ckpt", weights_only=True)["state_dict"]
    assert float((done / "line.txt").read_text()) == best["shared.weight"].sum().item()
