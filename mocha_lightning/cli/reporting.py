"""Telling what came of runs, as several commands do: which failed, and the report."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from mocha_lightning.experiment.places import is_sweep

if TYPE_CHECKING:
    from mocha_lightning.experiment.runner import Run


def tell_failures(runs: Sequence["Run"], console: Console) -> int:
    """Print why each run failed that did.

    Returns:
        How many did.
    """
    from mocha_lightning.experiment.runner import State

    failed = [run for run in runs if run.state is State.FAILED]
    for run in failed:
        console.print(Text(f"{run.name} failed: {run.problem}", style="red"), soft_wrap=True)
    return len(failed)


def report_on(folder: Path, reports: Path, console: Console) -> None:
    """Write the report of an experiment's or a sweep's folder, print it, and say where it is."""
    from mocha_lightning.report import print_report, write_report
    from mocha_lightning.report.sweep import print_sweep_report, write_sweep_report

    if is_sweep(folder):
        print_sweep_report(write_sweep_report(folder, reports), console)
    else:
        print_report(write_report(folder, reports), console)
    report = reports / folder.resolve().name
    console.print(Text(f"Runs: {folder}. Report: {report / 'index.html'}"), soft_wrap=True)
