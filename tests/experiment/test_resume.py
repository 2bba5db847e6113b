"""A run that was killed and begun again ends with the bits of one that was not."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import pytorch_lightning as pl

from experiment.running import NOISY, WANDERING, bits, run_in_process, toy_spec
from mocha_lightning.experiment.callbacks import Curves
from mocha_lightning.tracking import Tracker


def test_the_best_step_lies_before_the_last(done: Path) -> None:
    """Else the tests below could not see the best step forgotten."""
    assert 0 < bits(done)["best_step"] < WANDERING.steps


def test_a_run_repeats_to_the_last_bit(done: Path, tmp_path: Path) -> None:
    run_in_process(WANDERING, tmp_path)
    assert bits(tmp_path) == bits(done)


def test_another_seed_gives_other_numbers(done: Path, tmp_path: Path) -> None:
    run_in_process(toy_spec(seed=1, mechanism=NOISY, learning_rate=0.3), tmp_path)
    assert bits(tmp_path)["metrics"] != bits(done)["metrics"]


@pytest.mark.parametrize(
    "deaths",
    [
        ["training 0"],
        ["training 5"],
        ["training 13"],
        ["validation 15"],
        ["validation 20"],
        ["test 1"],
        ["training 7", "validation 10", "training 14", "test 0"],
    ],
    ids=", ".join,
)
def test_a_killed_run_goes_on_as_if_nothing_had_been(
    deaths: list[str], done: Path, tmp_path: Path
) -> None:
    for death in deaths:
        assert run_in_process(WANDERING, tmp_path, dies_at=death) == -9
        assert not (tmp_path / "result.json").exists()
    assert run_in_process(WANDERING, tmp_path) == 0
    assert bits(tmp_path) == bits(done)


def test_no_run_goes_on_from_the_checkpoint_of_another(tmp_path: Path) -> None:
    run_in_process(toy_spec(seed=0), tmp_path, dies_at="training 13")
    assert run_in_process(toy_spec(seed=1), tmp_path) == 2
    assert "last.ckpt: is of another configuration" in (tmp_path / "log.txt").read_text()


def test_half_a_line_of_a_killed_writer_is_dropped(done: Path, tmp_path: Path) -> None:
    run_in_process(WANDERING, tmp_path, dies_at="training 13")
    with (tmp_path / "curves.jsonl").open("a") as file:
        file.write('{"step": 14, "tr')
    run_in_process(WANDERING, tmp_path)
    assert bits(tmp_path) == bits(done)


def test_the_tracker_is_told_again_what_came_before_the_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "curves.jsonl").write_text(
        '{"step": 5, "val/error": null}\n{"step": 10, "val/error": 0.5}\n{"step": 15}\n{"st'
    )
    told: list[tuple[int, dict[str, float]]] = []
    tracker = SimpleNamespace(log=lambda *each: told.append(each))
    curves = Curves(tmp_path, cast(Tracker, tracker), 1)
    trainer, task = cast(pl.Trainer, None), cast(pl.LightningModule, None)
    curves.on_load_checkpoint(trainer, task, {"global_step": 10})
    (first, nothing), second = told
    # The file has null for what was not a number.
    assert (first, list(nothing)) == (5, ["val/error"])
    assert math.isnan(nothing["val/error"])
    assert second == (10, {"val/error": 0.5})
    assert (tmp_path / "curves.jsonl").read_text().count("\n") == 2
