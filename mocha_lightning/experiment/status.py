"""How far an experiment is, told to people."""

import time
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.pace import duration
from mocha_lightning.experiment.places import RESULT
from mocha_lightning.experiment.progress import BEST, DIVERGED, Progress, score
from mocha_lightning.experiment.shown import columns
from mocha_lightning.experiment.standing import AT_WORK, RunStanding, Standing

STYLES = {
    "done": "green",
    DIVERGED: "red",
    "broken result": "bold red",
    "running": "cyan",
    "starting": "cyan",
    "failed": "bold red",
    "stopped": "yellow",
    "not begun": "dim",
}


def print_status(standing: Standing, console: Console) -> None:
    """Print where each run of an experiment stands.

    Args:
        standing: of the experiment.
        console: where to.
    """
    console.print(_table(standing))
    counts = Counter(run.state for run in standing.runs)
    summary = ", ".join(f"{count} {state}" for state, count in counts.most_common())
    if standing.seconds_left is not None:
        jobs = standing.at_work or 1
        summary += f"; about {duration(standing.seconds_left)} left with {jobs} at a time"
    if not standing.begun:
        summary = f"no run begun yet: begin with `{standing.go_on}`"
    elif standing.go_on:
        summary += f"; go on by `{standing.go_on}`"
    told = f"{standing.folder}: {counts.total()} runs: {summary}"
    console.print(Text(told), soft_wrap=True)


def _table(standing: Standing) -> Table:
    """A row for each run; where one is at work, when it will be done and when it last spoke."""
    times = ["left", "last sign"] if standing.at_work else []
    metric = standing.metric
    table = columns(["run", "state"], ["steps", metric, BEST, *times])
    for run in standing.runs:
        seen = run.progress
        left = run.seconds_left if run.state in AT_WORK else None
        cells = (
            Text(f"{run.variant} seed {run.seed}"),
            Text(_told(run), STYLES[run.state]),
            Text(f"{seen.step}/{seen.steps}" if seen.phase else ""),
            Text(score(seen.validation, metric)),
            Text(score(seen.best, metric)),
            Text("" if left is None else duration(left)),
            Text(_ago(seen) if run.state == "running" else ""),
        )
        table.add_row(*cells[: len(table.columns)])
    return table


def _told(run: RunStanding) -> str:
    if run.state == "failed":
        return f"failed: {run.progress.problem}"
    if run.state == "broken result":
        return f"broken result: {RESULT} {run.progress.problem}"
    if run.state == "stopped":
        return f"stopped, goes on from step {run.progress.saved}"
    return run.state


def _ago(seen: Progress) -> str:
    return f"{max(0.0, time.time() - seen.updated):.0f} s ago" if seen.updated else ""
