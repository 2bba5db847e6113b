"""Where a sweep stands, from its files alone."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from experiment.running import toy_spec
from rich.console import Console

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import locked
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.sweep.standing import sweep_standing
from mocha_lightning.sweep.status import print_sweep_status


class SweepFolder:
    """``runs/<sweep>``, as a sweep of eight trials with two seeds leaves it on its way."""

    def __init__(self, path: Path, held: ExitStack) -> None:
        self.path = path
        self.held = held
        metric = {"name": "val/error", "mode": "min"}
        self.define(name="rate", metric=metric, seeds=[3, 5], trials=8, steps=20)

    def define(self, **content: Any) -> None:
        (self.path / "sweep.yaml").write_text(yaml.safe_dump(content))

    def begin(
        self,
        number: int,
        seed: int,
        progress: Progress,
        *,
        running: bool = False,
        values: dict[str, Any] | None = None,
    ) -> None:
        trial = self.path / f"trial-{number:04d}"
        run = trial / f"seed-{seed}"
        run.mkdir(parents=True)
        write_progress(run, progress)
        if values is not None:
            replace(toy_spec(), differences=values).write(run)
        if running:
            self.held.enter_context(locked(trial))

    def end(self, number: int, state: str, reason: str = "", value: float | None = None) -> None:
        trial = self.path / f"trial-{number:04d}"
        trial.mkdir(exist_ok=True)
        content = {"state": state, "reason": reason, "values": {"a.w": number}, "value": value}
        (trial / "trial.json").write_text(json.dumps({**content, "number": number}))


@pytest.fixture
def sweep(tmp_path: Path) -> Iterator[SweepFolder]:
    with ExitStack() as held:
        yield SweepFolder(tmp_path, held)


def status(sweep: SweepFolder) -> list[str]:
    console = Console(file=io.StringIO(), width=120)
    print_sweep_status(sweep_standing(sweep.path), console)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    return [re.sub(r"  +", " | ", line.strip()) for line in lines]


def test_before_the_first_trial_all_are_waiting(sweep: SweepFolder) -> None:
    (line,) = status(sweep)
    assert line == (
        f"{sweep.path}: 8 trials: 8 waiting; go on by `mocha-lightning sweep` and the sweep's own "
        "file"
    )


def test_trials_are_counted_by_state_and_those_at_work_are_shown(sweep: SweepFolder) -> None:
    sweep.end(0, "complete")
    sweep.end(1, "complete")
    sweep.end(2, "pruned", "at step 5 of seed 3")
    values = {"task.attention.offset": -2.123456, "task.attention.chunk_size": 4}
    done = Progress("done", 20, 20, {"val/error": 0.5}, {"val/error": 0.25})
    sweep.begin(3, 3, done, values=values)
    sweep.begin(4, 3, Progress("training", 10, 20, {"val/error": 0.4}), running=True)
    sweep.begin(3, 5, Progress("training", 5, 20, {"val/error": 0.75}, {"val/error": 0.125}))
    header, _, *rows, line = status(sweep)
    assert header == "trial | setting | state | run | steps | val/error | best so far"
    assert rows == [
        "3 | offset -2.123, chunk_size 4 | stopped | 2 of 2 | 5/20 | 0.75 | 0.125",
        "4 | running | 1 of 2 | 10/20 | 0.4",
    ]
    assert line == (
        f"{sweep.path}: 8 trials: 2 complete, 1 pruned, 1 stopped, 1 running, 3 waiting"
    )


@pytest.mark.parametrize(("mode", "best"), [("min", "1 (w 1), val/error 0.25"), ("max", "0 (w 0)")])
def test_the_best_so_far_is_told(sweep: SweepFolder, mode: str, best: str) -> None:
    metric = {"name": "val/error", "mode": mode}
    sweep.define(name="rate", metric=metric, seeds=[3, 5], trials=8, steps=20)
    sweep.end(0, "complete", value=0.5)
    sweep.end(1, "complete", value=0.25)
    sweep.end(2, "diverged")
    *_, told, line = status(sweep)
    assert told.startswith(f"best so far: trial {best}")
    assert line.endswith(f"what is found so far: `mocha-lightning report {sweep.path}`")


def test_the_time_left_follows_from_the_steps_that_trials_have_taken(sweep: SweepFolder) -> None:
    for number, steps in ((0, 20), (1, 10)):
        sweep.begin(number, 3, Progress("done", steps, 20, seconds=100.0 * steps))
        sweep.end(number, "complete")
    sweep.begin(2, 3, Progress("training", 5, 20, seconds=500.0), running=True)
    sweep.begin(3, 3, Progress("training", 15, 20, seconds=1500.0), running=True)
    # Of 100 s a step, the usual 15 steps: 10 steps of trial 2, none of trial 3, and four trials.
    assert status(sweep)[-1].endswith("4 waiting; about 58 min left with 2 at a time")


def test_a_trial_that_failed_is_waited_for_again(sweep: SweepFolder) -> None:
    for number in range(7):
        sweep.end(number, "complete")
    sweep.end(7, "failed", "the disk is full")
    (*_, row, line) = status(sweep)
    assert row.startswith("7 | w 7 | failed: the disk is full | 1 of 2")
    assert "8 trials: 7 complete, 1 failed, 1 waiting; go on by" in line


def test_where_nobody_is_at_work_the_command_that_goes_on_is_told(sweep: SweepFolder) -> None:
    sweep.begin(0, 3, Progress("training", 5, 20))
    toy_spec().write(sweep.path / "trial-0000" / "seed-3")
    assert status(sweep)[-1].endswith("7 waiting; go on by `mocha-lightning run toy.yaml`")


def test_of_a_sweep_that_is_over_nothing_is_to_be_done(sweep: SweepFolder) -> None:
    for number in range(8):
        sweep.end(number, "complete")
    (line,) = status(sweep)
    assert line.endswith("8 trials: 8 complete, 0 waiting")


@pytest.mark.parametrize("content", ["", "[1", "seeds: [0]", "{trials: many, seeds: [0]}"])
def test_what_is_no_sweeps_file_is_told_in_a_line(sweep: SweepFolder, content: str) -> None:
    (sweep.path / "sweep.yaml").write_text(content)
    with pytest.raises(UserError, match="cannot be read as a sweep's: give"):
        status(sweep)


@pytest.mark.parametrize("content", ["", "{", '{"state": "odd", "reason": ""}'])
def test_a_broken_end_of_a_trial_is_told_in_a_line(sweep: SweepFolder, content: str) -> None:
    sweep.end(0, "complete")
    (sweep.path / "trial-0000" / "trial.json").write_text(content)
    with pytest.raises(UserError, match="cannot be read as a trial's end"):
        status(sweep)
