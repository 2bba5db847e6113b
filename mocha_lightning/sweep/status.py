"""How far a sweep is, from its files alone; what a search or a report needs is not imported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import yaml
from pydantic import NonNegativeInt, PositiveInt, TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.pace import duration, seconds_per_step, side_by_side
from mocha_lightning.experiment.places import SWEEP, TRIAL, run_folder, trial_name, trial_numbers
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.progress import BEST, Progress, read_progress, score
from mocha_lightning.experiment.shown import columns, short_names
from mocha_lightning.experiment.spec import Metric, RunSpec
from mocha_lightning.sweep.ended import read_end

State = Literal["complete", "pruned", "diverged", "failed", "running", "stopped"]
STYLES = {"running": "cyan", "stopped": "yellow", "failed": "bold red"}
"""Of the trials that have a row: what is at work, and what another command would take up."""


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

    state: Literal["complete", "pruned", "diverged", "failed"]
    reason: str
    values: dict[str, Any]
    value: float | None
    """Of a complete one: the mean over its runs."""


_PLAN, _END = TypeAdapter(_Plan), TypeAdapter(_End)


@dataclass(frozen=True)
class _Seen:
    """A trial that was begun, and the runs of it that were, of which the last is at work.

    Attributes:
        values: its setting; empty where nothing has said it yet.
        value: what it is worth.
    """

    number: int
    state: State
    reason: str
    values: dict[str, Any]
    value: float | None
    runs: Mapping[int, Progress]
    """By seed."""

    @property
    def steps(self) -> int:
        """That its runs have made."""
        return sum(run.step for run in self.runs.values())


def print_sweep_status(folder: Path, console: Console) -> None:
    """Print how many trials are over, at work and waiting, and where those at work are.

    And the best so far, and how long the rest takes.

    Args:
        folder: ``runs/<sweep>``.
        console: where to.

    Raises:
        UserError: a file of the sweep, or of one of its trials, cannot be read.
    """
    plan = _plan(folder)
    trials = [_seen(folder, number, plan) for number in trial_numbers(folder)]
    if shown := [trial for trial in trials if trial.state in STYLES]:
        console.print(_table(shown, plan))
    states = Counter[str](trial.state for trial in trials)
    # A failed trial is no end: its setting is tried again, under another number.
    waiting = max(0, plan.trials - states.total() + states["failed"])
    counted = [f"{count} {state}" for state, count in states.most_common() if count]
    said = f"{folder}: {plan.trials} trials: {', '.join([*counted, f'{waiting} waiting'])}"
    if rest := _seconds_left(trials, waiting, plan):
        jobs = states["running"] or 1
        said += f"; about {duration(side_by_side(rest, jobs))} left with {jobs} at a time"
    if not states["running"] and (waiting or states["stopped"]):
        said += f"; go on by {_command(folder, trials, plan)}"
    if best := _best(trials, plan):
        value, trial = best
        console.print(
            Text(
                f"best so far: trial {trial.number} ({_setting(trial.values)}), "
                f"{plan.metric.name} {value:.4g}"
            ),
            soft_wrap=True,
        )
        said += f"; what is found so far: `{program()} report {folder}`"
    console.print(Text(said), soft_wrap=True)


def _plan(folder: Path) -> _Plan:
    path = folder / SWEEP
    try:
        return _PLAN.validate_python(yaml.safe_load(path.read_bytes()))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(
            f"{path}: cannot be read as a sweep's: give `{program()} sweep` the sweep's own file "
            "again to have it written"
        ) from error


def _seen(folder: Path, number: int, plan: _Plan) -> _Seen:
    trial = folder / trial_name(number)
    places = {seed: run_folder(folder, trial.name, seed) for seed in plan.seeds}
    runs = {seed: read_progress(place) for seed, place in places.items() if place.exists()}
    if (trial / TRIAL).exists():
        end = read_end(trial / TRIAL, _END)
        return _Seen(number, end.state, end.reason, end.values, end.value, runs)
    values: dict[str, Any] = {}
    with suppress(UserError):
        values = RunSpec.read(places[plan.seeds[0]]).differences
    return _Seen(number, "running" if is_busy(trial) else "stopped", "", values, None, runs)


def _best(trials: Sequence[_Seen], plan: _Plan) -> tuple[float, _Seen] | None:
    """The best complete trial, and what it is worth."""
    found = [(trial.value, trial) for trial in trials if trial.value is not None]
    best = min if plan.metric.mode == "min" else max
    return best(found, key=itemgetter(0), default=None)


def _seconds_left(trials: Sequence[_Seen], waiting: int, plan: _Plan) -> list[float]:
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


def _table(trials: Sequence[_Seen], plan: _Plan) -> Table:
    validation = plan.metric.validation
    table = columns(["trial", "setting", "state", "run"], ["steps", validation, BEST])
    for trial in trials:
        seed = max(trial.runs, key=plan.seeds.index, default=plan.seeds[0])
        seen = trial.runs.get(seed, Progress())
        state = f"{trial.state}: {trial.reason}" if trial.reason else trial.state
        table.add_row(
            str(trial.number),
            Text(_setting(trial.values)),
            Text(state, STYLES[trial.state]),
            f"{plan.seeds.index(seed) + 1} of {len(plan.seeds)}",
            f"{seen.step}/{seen.steps}" if seen.phase else "",
            score(seen.validation, validation),
            score(seen.best, validation),
        )
    return table


def _setting(values: Mapping[str, Any]) -> str:
    names = short_names(list(values))
    return ", ".join(
        f"{names[path]} {value:.4g}" if isinstance(value, float) else f"{names[path]} {value}"
        for path, value in values.items()
    )


def _command(folder: Path, trials: Sequence[_Seen], plan: _Plan) -> str:
    """What began the newest trial of which it is known, or how to find that."""
    for trial in reversed(trials):
        try:
            spec = RunSpec.read(run_folder(folder, trial_name(trial.number), plan.seeds[0]))
        except UserError:
            continue
        return f"`{spec.command}`"
    return f"`{program()} sweep` and the sweep's own file"
