"""W&B: one run each, its true state, and no run that suffers from it."""

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from experiment.running import WANDERING, result, run_in_process, start_process, toy_spec
from experiment.toy import PNG
from wandb_reader import wandb_records, wandb_runs

from mocha_lightning.experiment.exits import GIVEN_UP
from mocha_lightning.experiment.places import PRUNED
from mocha_lightning.tracking import Identity, Tracker, WandbSettings, beginning, jobs, tracker


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


def test_the_best_of_a_score_of_which_more_is_better_is_its_greatest(tmp_path: Path) -> None:
    run_in_process(toy_spec(mode="max"), tmp_path, wandb="offline")
    (run,) = wandb_runs(tmp_path)
    assert set(run["summary"]["val/error"]) == {"max", "last"}


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
    run_in_process(toy_spec(), tmp_path, wandb=settings)
    (run,) = wandb_runs(tmp_path)
    assert (run["project"], run["entity"]) == ("ours", "team")


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


class FakeRun:
    """A W&B run that may misbehave."""

    def __init__(self, log: Callable[..., None], starting_step: int = 0) -> None:
        self.log = log
        self.starting_step = starting_step
        self.summary: dict[str, Any] = {}
        self.tags: tuple[str, ...] = ("MoChA",)
        self.exit_code: int | None = None
        self.settings = SimpleNamespace(sync_file="")

    def define_metric(self, *names: str, **options: Any) -> None:
        pass

    def finish(self, exit_code: int) -> None:
        self.exit_code = exit_code


def start(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    init: Any,
    mode: str = "offline",
    login: Any = None,
) -> Tracker:
    """A tracker over another W&B than the real one."""
    wandb = SimpleNamespace(
        init=init,
        Settings=dict,
        Table=lambda columns, rows, **_: (columns, rows),
        login=login,
        teardown=lambda: None,
    )
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.setattr(beginning, "START_SECONDS", 0.3)
    monkeypatch.setattr(beginning, "FINISH_SECONDS", 0.3)
    monkeypatch.setattr(tracker, "FAILED_SECONDS", 0.3)
    # The other W&B writes no file.
    monkeypatch.setattr(jobs, "_holds", lambda *_: True)
    identity = Identity("g", "j", "n", (), {"config_hash": "h"}, "val/error", "min")
    return Tracker(folder, WandbSettings(mode), identity)


def test_scores_and_the_exit_code_reach_wandb(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows: list[Any] = []
    run = FakeRun(lambda row, **options: rows.append((row, options)))
    told = start(monkeypatch, tmp_path, lambda **_: run)
    told.log(5, {"val/error": 1.0})
    told.finish(1, {"test/error": 2.0})
    assert rows == [({"step": 5, "val/error": 1.0}, {"step": 5, "commit": True})]
    assert run.summary["test/error"] == 2.0
    assert run.exit_code == 1


def test_a_score_that_is_no_number_is_a_gap(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Else the least value of a score would be NaN for ever."""
    rows: list[Any] = []
    run = FakeRun(lambda row, **_: rows.append(row))
    told = start(monkeypatch, tmp_path, lambda **_: run)
    told.log(5, {"val/error": math.nan, "val/loss": 1.0})
    told.finish(0, {})
    assert rows == [{"step": 5, "val/loss": 1.0}]


def test_a_run_that_its_sweep_gives_up_is_finished_and_can_be_found_by_its_tag(
    tmp_path: Path,
) -> None:
    (tmp_path / PRUNED).write_text('{"reason": "others did better"}')
    assert run_in_process(WANDERING, tmp_path, wandb="offline") == GIVEN_UP
    (run,) = wandb_runs(tmp_path)
    assert (run["state"], run["exit_code"]) == ("finished", 0)
    assert run["tags"] == ["Noisy", "ToyData", "ToyTask", "pruned"]
    assert run["summary"]["ended"] == "pruned"


def test_a_table_has_the_first_records_with_a_column_for_each_text_or_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = FakeRun(lambda *_, **__: None)
    records = [
        {"id": f"{n}", "source": "a\nb|c", "distance": n, "alignment": [n], "hypothesis": ""}
        for n in range(60)
    ]
    # What only some have is empty for the others.
    records[1]["order"] = "reversed"
    told = start(monkeypatch, tmp_path, lambda **_: run)
    told.tabulate("predictions", records)
    told.finish(0, {})
    columns, rows = run.summary["tables/predictions"]
    assert columns == ["id", "source", "distance", "hypothesis", "order"]
    assert len(rows) == 50
    assert rows[0] == ["0", "a\nb|c", 0, "", None]
    assert rows[1] == ["1", "a\nb|c", 1, "", "reversed"]


def test_steps_that_wandb_has_of_a_run_that_goes_on_are_not_logged_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    steps: list[int] = []
    run = FakeRun(lambda _, step, **__: steps.append(step), starting_step=11)
    told = start(monkeypatch, tmp_path, lambda **_: run)
    for step in (5, 10, 11, 15):
        told.log(step, {"val/error": 1.0})
    told.finish(0, {})
    assert steps == [11, 15]


def test_only_online_wandb_is_asked_to_go_on_with_a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = {}

    def init(**options: Any) -> FakeRun:
        asked[options["mode"]] = options["resume"]
        return FakeRun(lambda *_, **__: None)

    for mode in ("online", "offline"):
        start(monkeypatch, tmp_path, init, mode, login=lambda **_: True).finish(0, {})
    assert asked == {"online": "allow", "offline": None}


def test_a_run_without_wandb_says_nothing_of_it(tmp_path: Path) -> None:
    assert run_in_process(WANDERING, tmp_path, wandb="disabled") == 0
    assert "W&B" not in (tmp_path / "log.txt").read_text()
    assert not (tmp_path / "wandb").exists()


@pytest.mark.parametrize("where", ["init", "log", "hanging init", "hanging log"])
def test_trouble_costs_one_line_and_little_time(
    where: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    released = threading.Event()
    threads = set(threading.enumerate())

    def trouble(*_: Any, **__: Any) -> Any:
        if "hanging" in where:
            released.wait()
        raise RuntimeError("broken\npipe")

    def init(**options: Any) -> Any:
        return trouble() if "init" in where else FakeRun(trouble)

    before = time.monotonic()
    told = start(monkeypatch, tmp_path, init)
    told.wait_until_started()
    for step in range(1000):
        told.log(step, {"a": 1.0})
    told.finish(0, {})
    assert time.monotonic() - before < 8
    off = "W&B is off for this run: RuntimeError: broken pipe\n"
    said = capsys.readouterr().err
    if "hanging" in where:
        assert "does not answer" in said
        assert off not in said
        # Else it would say so in whatever test runs then.
        released.set()
        for thread in set(threading.enumerate()) - threads:
            thread.join()
        assert capsys.readouterr().err == off
    else:
        assert said == off


@pytest.mark.parametrize(
    ("asked", "variable", "login", "modes", "said"),
    [
        ("auto", None, True, ["online"], ""),
        ("auto", None, False, ["offline"], ""),
        ("auto", "offline", True, ["offline"], ""),
        ("auto", "online", True, ["online"], ""),
        ("online", "offline", True, ["online"], ""),
        ("disabled", "online", True, [], ""),
        ("auto", "disabled", True, [], ""),
        ("online", None, False, ["offline"], "W&B goes on offline: there is no login\n"),
        (
            "auto",
            None,
            "broken key",
            ["offline"],
            "W&B goes on offline: ValueError: broken key\n",
        ),
        (
            "auto",
            None,
            "no route",
            ["online", "offline"],
            "W&B goes on offline: ConnectionError: no route\n",
        ),
    ],
)
def test_a_run_is_online_where_it_can_be_and_never_asks(
    asked: str,
    variable: str | None,
    login: bool | str,
    modes: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = []

    def log_in(*, prompt: bool, verify: bool) -> bool:
        assert not prompt
        if login == "broken key":
            raise ValueError(login)
        return bool(login)

    def init(**options: Any) -> FakeRun:
        seen.append(options["mode"])
        if login == "no route" and options["mode"] == "online":
            raise ConnectionError(login)
        return FakeRun(lambda _: None)

    if variable is None:
        monkeypatch.delenv("WANDB_MODE", raising=False)
    else:
        monkeypatch.setenv("WANDB_MODE", variable)
    told = start(monkeypatch, tmp_path, init, mode=asked, login=log_in)
    told.finish(0, {})
    assert seen == modes
    assert capsys.readouterr().err == said
