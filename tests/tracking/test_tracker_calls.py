"""What the tracker asks of W&B, in whose place another stands here."""

import math
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from experiment.running import WANDERING, run_in_process

from mocha_lightning.tracking import Identity, Tracker, WandbSettings, beginning, jobs, tracker


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
