"""The report on a terminal."""

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.report import layout
from mocha_lightning.report.tables import Report


def print_report(report: Report, console: Console) -> None:
    """Print what `table.md` holds, but for the legend of its columns."""
    incomplete = layout.incomplete(report)
    if incomplete:
        console.print(Text(incomplete, style="bold red"))
    for warning in report.warnings:
        console.print(Text(f"Warning: {warning}", style="yellow"))
    console.print(Text(layout.caption(report)))
    variants = layout.variant_table(report)
    # Two tables, so that each fits 80 columns.
    cost = ["best step", "parameters", "seconds"]
    for part in (variants.drop(columns=cost), variants[["variant", *cost]]):
        console.print(_table(part), "")
    for footnote in report.footnotes:
        console.print(Text(f"! {footnote}", style="yellow"))
    comparisons = layout.comparison_table(report)
    if not comparisons.empty:
        console.print("", _table(comparisons), "", sep="\n")
    for row in report.comparisons:
        console.print(Text(f"- {row.verdict}", style="bold"))
    uncorrected = layout.uncorrected(report)
    if uncorrected:
        console.print(Text(uncorrected, style="yellow"))
    console.print(Text("What differs from the paper:"))
    for line in layout.departure_lines(report):
        console.print(Text(f"- {line}"))
    console.print(Text(layout.origin(report), style="dim"))


def _table(frame: pd.DataFrame) -> Table:
    # Cells are Text, so a variant called "[red]" is printed and not obeyed.
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for index, name in enumerate(frame.columns):
        table.add_column(
            Text(name),
            justify="right" if index else "left",
            overflow="fold",
            min_width=max(len(word) for word in name.split()),
        )
    for cells in frame.itertuples(index=False):
        table.add_row(*(Text(cell) for cell in cells))
    return table
