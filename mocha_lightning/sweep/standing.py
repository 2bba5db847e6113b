"""How far a sweep is, from its files alone; what a search or a report needs is not imported."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import yaml
from pydantic import NonNegativeInt, PositiveInt, TypeAdapter

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.pace import seconds_per_step, side_by_side
from mocha_lightning.experiment.places import (
    SWEEP,
    TRIAL,
    TrialEnd,
    run_folder,
    trial_name,
    trial_numbers,
)
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.progress import Progress, read_progress
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.sweep.ended import read_end

State = TrialEnd | Literal["running", "stopped"]


@dataclass(frozen=True)
class _Plan:
    """What ``sweep.yaml`` says of what there is to do."""

    metric: Metric
    seeds: tuple[NonNegativeInt, ...]
    trials: PositiveInt
    steps: PositiveInt
    """Of a run."""


@dataclass(frozen=True)
class _End:
    """What ``trial.json`` says of how a trial ended."""

    state: TrialEnd
    reason: str
    values: dict[str, Any]
    value: float | None
    """Of a complete one: the mean over its runs."""


_PLAN, _END = TypeAdapter(_Plan), TypeAdapter(_End)


@dataclass(frozen=True)
class TrialStanding:
    """A trial that was begun, and the runs of it that were, of which the last is at work.

    Attributes:
        number: its.
        state: complete, pruned, diverged or failed; or running, or stopped.
        reason: why, of one that was pruned or failed.
        values: its setting; empty where nothing has said it yet.
        value: what it is worth.
        runs: by seed.
    """

    number: int
    state: State
    reason: str
    values: dict[str, Any]
    value: float | None
    runs: Mapping[int, Progress]

    @property
    def steps(self) -> int:
        """That its runs have made."""
        return sum(run.step for run in self.runs.values())


@dataclass(frozen=True)
class SweepStanding:
    """Where a sweep stands.

    Attributes:
        folder: ``runs/<sweep>``.
        metric: the test score that is sought, and its direction.
        seeds: of every setting.
        trials: that there will be.
        begun: those that were.
        waiting: how many were not.
        seconds_left: until the last of them is over; None where nobody can know.
        best: the best complete one.
        go_on: the command that does what is left, in words where it is not known; None where
            nothing is, or others are at it.
    """

    folder: str
    metric: Metric
    seeds: Sequence[int]
    trials: int
    begun: Sequence[TrialStanding]
    waiting: int
    seconds_left: float | None
    best: TrialStanding | None
    go_on: str | None

    @property
    def at_work(self) -> int:
        """Trials that are."""
        return sum(trial.state == "running" for trial in self.begun)


def sweep_standing(folder: Path) -> SweepStanding:
    """Where each trial of a sweep stands.

    Args:
        folder: ``runs/<sweep>``.

    Raises:
        UserError: a file of the sweep, or of one of its trials, cannot be read.
    """
    plan = _plan(folder)
    trials = [_seen(folder, number, plan) for number in trial_numbers(folder)]
    states = [trial.state for trial in trials]
    # A failed trial is no end: its setting is tried again, under another number.
    waiting = max(0, plan.trials - len(trials) + states.count("failed"))
    rest = _seconds_left(trials, waiting, plan)
    at_work = states.count("running")
    idle = not at_work and (waiting or "stopped" in states)
    return SweepStanding(
        str(folder),
        plan.metric,
        plan.seeds,
        plan.trials,
        trials,
        waiting,
        side_by_side(rest, at_work or 1) if rest else None,
        _best(trials, plan),
        _command(folder, trials, plan) if idle else None,
    )


def _plan(folder: Path) -> _Plan:
    path = folder / SWEEP
    try:
        return _PLAN.validate_python(yaml.safe_load(path.read_bytes()))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(
            f"{path}: cannot be read as a sweep's: give `{program()} sweep` the sweep's own file "
            "again to have it written"
        ) from error


def _seen(folder: Path, number: int, plan: _Plan) -> TrialStanding:
    trial = folder / trial_name(number)
    places = {seed: run_folder(folder, trial.name, seed) for seed in plan.seeds}
    runs = {seed: read_progress(place) for seed, place in places.items() if place.exists()}
    if (trial / TRIAL).exists():
        end = read_end(trial / TRIAL, _END)
        return TrialStanding(number, end.state, end.reason, end.values, end.value, runs)
    values: dict[str, Any] = {}
    with suppress(UserError):
        values = RunSpec.read(places[plan.seeds[0]]).differences
    return TrialStanding(number, "running" if is_busy(trial) else "stopped", "", values, None, runs)


def _best(trials: Sequence[TrialStanding], plan: _Plan) -> TrialStanding | None:
    """The best complete trial."""
    best = min if plan.metric.mode == "min" else max
    return best(
        (trial for trial in trials if trial.value is not None),
        key=attrgetter("value"),
        default=None,
    )


def _seconds_left(trials: Sequence[TrialStanding], waiting: int, plan: _Plan) -> list[float]:
    """What the trials that are not over still need, where steps were made; each as those before.

    One that was given up has made fewer steps than the others, and more will be.
    """
    pace = seconds_per_step(run for trial in trials for run in trial.runs.values())
    if pace is None:
        return []
    over = [trial.steps for trial in trials if trial.state in ("complete", "pruned")]
    usual = fmean(over) if over else plan.steps * len(plan.seeds)
    going = [trial.steps for trial in trials if trial.state in ("running", "stopped")]
    return [pace * max(0.0, usual - made) for made in [*going, *[0] * waiting]]


def _command(folder: Path, trials: Sequence[TrialStanding], plan: _Plan) -> str:
    """What began the newest trial of which it is known, or how to find that."""
    for trial in reversed(trials):
        try:
            spec = RunSpec.read(run_folder(folder, trial_name(trial.number), plan.seeds[0]))
        except UserError:
            continue
        return f"`{spec.command}`"
    return f"`{program()} sweep` and the sweep's own file"
