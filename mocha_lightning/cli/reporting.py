"""Writing and printing the report, as several commands do."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from mocha_lightning.experiment.places import is_sweep


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
