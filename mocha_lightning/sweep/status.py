"""How far a sweep is, told to people."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.pace import duration
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.progress import BEST, Progress, score
from mocha_lightning.experiment.shown import columns, short_names
from mocha_lightning.sweep.standing import SweepStanding, TrialStanding

STYLES = {"running": "cyan", "stopped": "yellow", "failed": "bold red"}
"""Of the trials that have a row: what is at work, and what another command would take up."""


def print_sweep_status(standing: SweepStanding, console: Console) -> None:
    """Print how many trials are over, at work and waiting, and where those at work are.

    And the best so far, and how long the rest takes.

    Args:
        standing: of the sweep.
        console: where to.
    """
    if shown := [trial for trial in standing.begun if trial.state in STYLES]:
        console.print(_table(shown, standing))
    states = Counter[str](trial.state for trial in standing.begun)
    counted = [f"{count} {state}" for state, count in states.most_common()]
    all_states = ", ".join([*counted, f"{standing.waiting} waiting"])
    said = f"{standing.folder}: {standing.trials} trials: {all_states}"
    if standing.seconds_left is not None:
        jobs = standing.at_work or 1
        said += f"; about {duration(standing.seconds_left)} left with {jobs} at a time"
    if standing.go_on:
        said += f"; go on by {standing.go_on}"
    if best := standing.best:
        metric = standing.metric.name
        console.print(
            Text(
                f"best so far: trial {best.number} ({_setting(best.values)}), "
                f"{metric} {best.value:.4g}"
            ),
            soft_wrap=True,
        )
        said += f"; what is found so far: `{program()} report {standing.folder}`"
    console.print(Text(said), soft_wrap=True)


def _table(trials: Sequence[TrialStanding], sweep: SweepStanding) -> Table:
    validation = sweep.metric.validation
    table = columns(["trial", "setting", "state", "run"], ["steps", validation, BEST])
    for trial in trials:
        seed = max(trial.runs, key=sweep.seeds.index, default=sweep.seeds[0])
        seen = trial.runs.get(seed, Progress())
        state = f"{trial.state}: {trial.reason}" if trial.reason else trial.state
        table.add_row(
            str(trial.number),
            Text(_setting(trial.values)),
            Text(state, STYLES[trial.state]),
            f"{sweep.seeds.index(seed) + 1} of {len(sweep.seeds)}",
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
