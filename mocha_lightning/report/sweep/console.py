"""The report of a sweep on a terminal."""

from rich.console import Console
from rich.text import Text

from mocha_lightning.report.console import console_table
from mocha_lightning.report.sweep import layout
from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.widths import least_widths, total

SHOWN = 10
"""Trials that are printed; the files have all."""


def print_sweep_report(report: SweepReport, console: Console) -> None:
    """Print the verdicts, the best trials, and how to do the sweep again."""
    incomplete = layout.incomplete(report)
    if incomplete:
        console.print(Text(incomplete, style="bold red"))
    for warning in report.warnings:
        console.print(Text(f"Warning: {warning}", style="yellow"))
    console.print(Text(layout.caption(report)))
    console.print(Text(layout.counted(report)), "")
    table = layout.trial_table(report).head(SHOWN)
    # A terminal of 80 columns has room for what matters; the files have all.
    for column in ("reason", *layout.seed_columns(report), "steps"):
        if column in table and total(least_widths(table)) > console.width:
            table = table.drop(columns=column)
    console.print(console_table(table, console.width), "")
    more = len(report.rows) - len(table)
    if more > 0:
        console.print(Text(f"{more} more trials are in the files."), "")
    for line in (*layout.verdicts(report), layout.advice(report)):
        console.print(Text(f"- {line}", style="bold"))
    # A command that is cut into lines cannot be copied.
    console.print(Text(layout.origin(report), style="dim"), soft_wrap=True)
