"""What a sweep is about to do, and what it has found."""

from collections import Counter
from pathlib import Path
from statistics import stdev
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.shown import shown
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.file import GRID
from mocha_lightning.sweep.places import TRIAL
from mocha_lightning.sweep.ranking import ranked


def print_sweep(sweep: Sweep, parameters: int, folder: Path, console: Console) -> None:
    """Print what is sought, how, and how many trials there are to do.

    Args:
        sweep: the sweep.
        parameters: of the first setting's model.
        folder: ``runs/<sweep>``.
        console: where to.
    """
    sampler = sweep.file.sampler
    how = "every setting" if sampler == GRID else _class(sampler)
    pruner = "" if sweep.file.pruner is None else f", pruned by {_class(sweep.file.pruner)}"
    done = len(list(folder.glob(f"trial-*/{TRIAL}")))
    lines = [
        f"{sweep.name}: {sweep.variant.name} of {sweep.experiment.name} "
        f"({parameters:,} parameters), by {sweep.metric.name} on average over "
        f"{len(sweep.seeds)} run{'s' * (len(sweep.seeds) > 1)} of {sweep.steps:,} steps",
        *(f"  {path}: {shown(written)}" for path, written in sweep.file.space.items()),
        f"{sweep.trials} trials ({how}{pruner}), {done} over, in {folder}",
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)


SHOWN = 20
"""Trials of a table; all are in their folders."""


def print_found(sweep: Sweep, folder: Path, console: Console) -> None:
    """Print the trials that are over, the best first.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``.
        console: where to.
    """
    trials = ranked(folder, sweep.metric)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    for title in ("trial", *sweep.space, "state"):
        table.add_column(Text(title))
    for title in (sweep.metric.name, "SD", "N"):
        table.add_column(Text(title), justify="right")
    for trial in trials[:SHOWN]:
        values = (_value(each) for each in trial["values"].values())
        table.add_row(*map(Text, (str(trial["number"]), *values, trial["state"], *_worth(trial))))
    console.print(table)
    states = Counter(trial["state"] for trial in trials)
    counted = ", ".join(f"{count} {state}" for state, count in states.items())
    console.print(Text(f"{folder}: {len(trials)} of {sweep.trials} trials over: {counted}"))
    if len(sweep.seeds) == 1:
        console.print(
            Text("One run a setting: the best is also the luckiest of them. Give more --seeds.")
        )


def _worth(trial: dict[str, Any]) -> tuple[str, str, str]:
    values = [run["value"] for run in trial["runs"] if run["value"] is not None]
    mean = "" if trial["value"] is None else f"{trial['value']:.4g}"
    spread = f"{stdev(values):.2g}" if mean and len(values) > 1 else ""
    return mean, spread, str(len(values))


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else shown(value)


def _class(node: object) -> str:
    assert isinstance(node, dict)
    return str(node["class_path"]).rpartition(".")[2]
