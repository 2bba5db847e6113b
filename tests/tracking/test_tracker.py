"""W&B: one run each, its true state, and no run that suffers from it."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from experiment.running import WANDERING, result, run_in_process, start_process, toy_spec
from experiment.toy import PNG
from wandb_reader import wandb_records, wandb_runs

from mocha_lightning.experiment.exits import GIVEN_UP
from mocha_lightning.experiment.places import PRUNED
from mocha_lightning.tracking import WandbSettings


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is finished, with W&B offline."""
    folder = tmp_path_factory.mktemp("done")
    assert run_in_process(WANDERING, folder, wandb="offline") == 0
    return folder


def test_a_run_is_one_wandb_run_with_its_scores_and_configuration(done: Path) -> None:
    (run,) = wandb_runs(done)
    assert (run["state"], run["exit_code"]) == ("finished", 0)
    assert run["name"] == "plain/seed-0"
    assert run["tags"] == ["Noisy", "ToyData", "ToyTask"]
    assert (run["config"]["seed"], run["config"]["variant"]) == (0, "plain")
    assert run["config"]["mechanism"] == {"class": "Noisy", "gain": 1, "noise": 0.1}
    assert run["config"]["data"]["sha256"] == WANDERING.data_sha256
    assert run["summary"]["ended"] == "completed"
    assert run["summary"]["pictures/line"]["_type"] == "image-file"
    (record,) = [each["run"] for each in wandb_records(done) if each["type"] == "run"]
    assert record["run_group"] == "toy"
    assert record["job_type"] == "plain"
    assert "W&B" not in (done / "log.txt").read_text()


def test_every_score_is_drawn_over_the_training_step_and_has_its_range(done: Path) -> None:
    metrics = [each["metric"] for each in wandb_records(done) if each["type"] == "metric"]
    axes = {
        each.get("name") or each["glob_name"]: each["step_metric"]
        for each in metrics
        if "step_metric" in each
    }
    # Of two patterns that fit a name W&B takes one by chance.
    assert axes == dict.fromkeys(["val/error", "val/*", "train/*", "pictures/*"], "step")
    (run,) = wandb_runs(done)
    curves = [json.loads(line) for line in (done / "curves.jsonl").read_text().splitlines()]
    errors, losses = (
        [record[name] for record in curves if name in record] for name in ("val/error", "val/loss")
    )
    assert run["summary"]["val/error"] == {"min": min(errors), "last": errors[-1]}
    assert run["summary"]["val/loss"] == {
        "min": min(losses),
        "max": max(losses),
        "last": losses[-1],
    }


def test_what_is_illustrated_can_be_followed_over_the_validations(tmp_path: Path) -> None:
    run_in_process(WANDERING, tmp_path, dies_at="training 12", wandb="offline")
    assert run_in_process(WANDERING, tmp_path, wandb="offline") == 0
    rows = [each["history"]["item"] for each in wandb_records(tmp_path) if "history" in each]
    shown = {row["step"]: row["pictures/line.path"] for row in rows if "pictures/line.path" in row}
    assert list(shown) == [5, 10, 15, 20]
    for path in shown.values():
        assert (tmp_path / "wandb" / "latest-run" / "files" / path).read_bytes() == PNG


def test_a_checkpoint_is_an_artifact_where_it_is_asked_for(tmp_path: Path) -> None:
    settings = WandbSettings("offline", checkpoints=True)
    assert run_in_process(WANDERING, tmp_path, wandb=settings) == 0
    best = result(tmp_path)["best_step"]
    (artifact,) = [
        each["artifact"]
        for each in wandb_records(tmp_path)
        if each["type"] == "artifact" and each["artifact"]["type"] == "model"
    ]
    assert artifact["name"] == "toy-plain-seed-0"
    assert set(artifact["aliases"]) == {"latest", "best", f"step-{best}"}
    metadata = json.loads(artifact["metadata"])
    assert metadata["step"] == best
    assert metadata["config_hash"] == WANDERING.config_hash
    assert metadata["val/error"] == result(tmp_path)["metrics"]["val/error"]["value"]
    (file,) = artifact["manifest"]["contents"]
    # From where it lies: there is no second copy of what may be gigabytes.
    assert Path(file["local_path"]) == tmp_path / "checkpoints" / "best.ckpt"


def test_no_checkpoint_is_recorded_unless_asked_for(done: Path) -> None:
    kinds = [e["artifact"]["type"] for e in wandb_records(done) if e["type"] == "artifact"]
    assert "model" not in kinds


def test_the_project_and_the_entity_are_those_of_the_command_or_of_wandbs_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WandbSettings().wanted_project == "mocha-lightning"
    monkeypatch.setenv("WANDB_PROJECT", "theirs")
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert WandbSettings().wanted_project == "theirs"
    settings = WandbSettings("auto", "ours", "team")
    run_in_process(toy_spec(mode="max"), tmp_path, wandb=settings)
    (run,) = wandb_runs(tmp_path)
    assert (run["project"], run["entity"]) == ("ours", "team")
    # Of a score of which more is better the best is the greatest.
    assert set(run["summary"]["val/error"]) == {"max", "last"}


def test_the_machines_load_is_that_of_the_runs_own_process(done: Path) -> None:
    """A run is a fork of the process that has imported wandb."""
    loads = [each["stats"]["item"] for each in wandb_records(done) if each["type"] == "stats"]
    assert loads[0]["proc.memory.rssMB"] > 100


def test_what_a_run_predicts_can_be_looked_at_in_a_table(done: Path) -> None:
    (run,) = wandb_runs(done)
    shown = run["summary"]["tables/predictions"]
    assert (shown["_type"], shown["nrows"]) == ("table-file", 32)
    table = json.loads((done / "wandb" / "latest-run" / "files" / shown["path"]).read_text())
    predictions = (done / "predictions.jsonl").read_text().splitlines()
    # The toy's x are lists, which no cell holds.
    assert table["columns"] == ["y"]
    assert table["data"] == [[json.loads(line)["y"]] for line in predictions]


def test_a_run_that_raised_is_failed(tmp_path: Path) -> None:
    assert run_in_process(toy_spec(fail_at=3), tmp_path, wandb="offline") == 1
    (run,) = wandb_runs(tmp_path)
    assert (run["state"], run["exit_code"]) == ("failed", 1)


def test_a_run_that_was_stopped_is_failed_and_the_one_that_goes_on_has_its_id(
    tmp_path: Path,
) -> None:
    process = start_process(toy_spec(step_seconds=0.2), tmp_path, wandb="offline")
    wait_for(lambda: (tmp_path / "checkpoints" / "last.ckpt").exists())
    process.terminate()
    process.join(180)
    assert process.exitcode == 143
    assert "the same command goes on" in (tmp_path / "log.txt").read_text()
    assert run_in_process(toy_spec(step_seconds=0.2), tmp_path, wandb="offline") == 0
    stopped, finished = wandb_runs(tmp_path)
    assert (stopped["state"], finished["state"]) == ("failed", "finished")
    assert stopped["run_id"] == finished["run_id"]


def test_the_newest_folder_of_a_run_that_was_killed_holds_its_whole_history(
    tmp_path: Path,
) -> None:
    """Then it alone need be uploaded, and W&B's own step is the training step throughout."""
    for death in ("training 7", "validation 10", "test 1"):
        run_in_process(WANDERING, tmp_path, dies_at=death, wandb="offline")
    assert run_in_process(WANDERING, tmp_path, wandb="offline") == 0
    rows = [each["history"]["item"] for each in wandb_records(tmp_path) if "history" in each]
    assert [row["_step"] for row in rows] == list(range(1, 21))
    curves = [json.loads(line) for line in (tmp_path / "curves.jsonl").read_text().splitlines()]
    for row, record in zip(rows, curves, strict=True):
        assert record.items() <= row.items()
    assert len(list((tmp_path / "wandb").glob("offline-run-*"))) == 4


def test_the_summary_has_the_scores_of_the_best_step(done: Path) -> None:
    (run,) = wandb_runs(done)
    for name, metric in result(done)["metrics"].items():
        assert run["summary"][name.replace("val/", "best/")] == metric["value"]


def test_a_run_survives_the_death_of_the_wandb_service(tmp_path: Path) -> None:
    process = start_process(toy_spec(step_seconds=0.2), tmp_path, wandb="offline")
    wait_for(lambda: (tmp_path / "curves.jsonl").exists())
    for service in children(process.pid):
        os.kill(service, signal.SIGKILL)
    process.join(180)
    assert process.exitcode == 0
    assert (tmp_path / "result.json").exists()
    log = (tmp_path / "log.txt").read_text()
    assert log.count("W&B is off for this run") == 1


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def children(pid: int | None) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def test_a_run_that_its_sweep_gives_up_is_finished_and_can_be_found_by_its_tag(
    tmp_path: Path,
) -> None:
    (tmp_path / PRUNED).write_text('{"reason": "others did better"}')
    assert run_in_process(WANDERING, tmp_path, wandb="offline") == GIVEN_UP
    (run,) = wandb_runs(tmp_path)
    assert (run["state"], run["exit_code"]) == ("finished", 0)
    assert run["tags"] == ["Noisy", "ToyData", "ToyTask", "pruned"]
    assert run["summary"]["ended"] == "pruned"
