"""How far a sweep is, from its files alone; what a search or a report needs is not imported."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import NonNegativeInt, PositiveInt, TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import SWEEP, TRIAL, run_folder, trial_name, trial_numbers
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.progress import BEST, Progress, read_progress, score
from mocha_lightning.experiment.shown import columns
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


@dataclass(frozen=True)
class _End:
    """What ``trial.json`` says of how a trial ended."""

    state: Literal["complete", "pruned", "diverged", "failed"]
    reason: str


_PLAN, _END = TypeAdapter(_Plan), TypeAdapter(_End)


@dataclass(frozen=True)
class _Seen:
    """A trial that was begun, and the last of its runs that was."""

    number: int
    state: State
    reason: str
    seed: int
    progress: Progress


def print_sweep_status(folder: Path, console: Console) -> None:
    """Print how many trials are over, at work and waiting, and where those at work are.

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
    if not states["running"] and (waiting or states["stopped"]):
        said += f"; go on by {_command(folder, trials)}"
    if states["complete"]:
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
    state: State = "running" if is_busy(trial) else "stopped"
    reason = ""
    if (trial / TRIAL).exists():
        end = read_end(trial / TRIAL, _END)
        state, reason = end.state, end.reason
    begun = [seed for seed in plan.seeds if run_folder(folder, trial.name, seed).exists()]
    seed = begun[-1] if begun else plan.seeds[0]
    return _Seen(number, state, reason, seed, read_progress(run_folder(folder, trial.name, seed)))


def _table(trials: Sequence[_Seen], plan: _Plan) -> Table:
    table = columns(["trial", "state", "run"], ["steps", plan.metric.validation, BEST])
    for trial in trials:
        seen = trial.progress
        state = f"{trial.state}: {trial.reason}" if trial.reason else trial.state
        table.add_row(
            str(trial.number),
            Text(state, STYLES[trial.state]),
            f"{plan.seeds.index(trial.seed) + 1} of {len(plan.seeds)}",
            f"{seen.step}/{seen.steps}" if seen.phase else "",
            score(seen.validation, plan.metric.validation),
            score(seen.best, plan.metric.validation),
        )
    return table


def _command(folder: Path, trials: Sequence[_Seen]) -> str:
    """What began the newest trial of which it is known, or how to find that."""
    for trial in reversed(trials):
        try:
            spec = RunSpec.read(run_folder(folder, trial_name(trial.number), trial.seed))
        except UserError:
            continue
        return f"`{spec.command}`"
    return f"`{program()} sweep` and the sweep's own file"
