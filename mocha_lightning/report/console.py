"""The report on a terminal."""

from collections.abc import Iterator

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.report import layout
from mocha_lightning.report.content import Report
from mocha_lightning.report.text_tables import group_table, scores_table
from mocha_lightning.report.widths import fitted_widths, least_widths, total


def print_report(report: Report, console: Console) -> None:
    """Print what `table.md` holds, but for pictures, samples and the legend of its columns."""
    incomplete = layout.incomplete(report)
    if incomplete:
        console.print(Text(incomplete, style="bold red"))
    for warning in report.warnings:
        console.print(Text(f"Warning: {warning}", style="yellow"))
    console.print(Text(layout.caption(report)))
    for table in _variant_tables(layout.variant_table(report), console.width):
        console.print(table, "")
    for footnote in report.footnotes:
        console.print(Text(f"! {footnote}", style="yellow"))
    comparisons = layout.comparison_table(report)
    if not comparisons.empty:
        console.print("", console_table(comparisons, console.width), "", sep="\n")
    for row in report.comparisons:
        console.print(Text(f"- {row.verdict}", style="bold"))
    about = layout.uncompared(report) or layout.corrected(report)
    if about:
        console.print(Text(about, style="yellow"))
    if said := layout.published(report):
        console.print("", Text(said), "", sep="\n")
        console.print(console_table(layout.published_table(report), console.width), "")
    for of_texts in (scores_table(report.texts), group_table(report.texts)):
        if not of_texts.empty:
            console.print("", console_table(of_texts, console.width), "", sep="\n")
    console.print(Text("What differs from the paper:"))
    for line in layout.departure_lines(report):
        console.print(Text(f"- {line}"))
    # A command that is cut into lines cannot be copied.
    console.print(Text(layout.origin(report), style="dim"), soft_wrap=True)


def _variant_tables(variants: pd.DataFrame, room: int) -> Iterator[Table]:
    """Two tables, so that each fits 80 columns; beside the scores stands what has room there."""
    cost = list(layout.COST)
    if total(least_widths(variants.drop(columns=cost, errors="ignore"))) > room:
        cost = [*layout.SELECTING, "length cap", *cost]
    cost = [column for column in cost if column in variants]
    for part in (variants.drop(columns=cost), variants[["variant", *cost]]):
        yield console_table(part, room)


def console_table(frame: pd.DataFrame, room: int) -> Table:
    """Lay out a table in so many columns of a terminal."""
    # Cells are Text, so a variant called "[red]" is printed and not obeyed.
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    widths = fitted_widths(frame, room)
    for index, (name, width) in enumerate(zip(frame.columns, widths, strict=True)):
        table.add_column(
            Text(name), justify="right" if index else "left", overflow="fold", width=width
        )
    for cells in frame.itertuples(index=False):
        table.add_row(*(Text(cell) for cell in cells))
    return table
