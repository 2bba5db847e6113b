"""The report as a Markdown page, `table.md`."""

from collections.abc import Iterable, Mapping

import pandas as pd

from mocha_lightning.report import layout
from mocha_lightning.report.legend import comparison_legend, variant_legend
from mocha_lightning.report.tables import Report


def markdown(report: Report, alignments: str | None = None) -> str:
    """Put a report on a page: caption, tables, verdicts, what to know, and how to reproduce it.

    Args:
        report: what to say.
        alignments: where the picture of them is, seen from the page.
    """
    incomplete = layout.incomplete(report)
    comparisons = layout.comparison_table(report)
    parts = [
        f"# {report.experiment}",
        f"**{incomplete}**" if incomplete else "",
        layout.caption(report),
        layout.training(report),
        *(f"**Warning:** {warning}" for warning in report.warnings),
        _table(layout.variant_table(report)),
        _list(f"! {footnote}" for footnote in report.footnotes),
        "" if comparisons.empty else "## Comparisons",
        "" if comparisons.empty else _table(comparisons),
        _list(row.verdict for row in report.comparisons),
        layout.uncompared(report) or layout.uncorrected(report) or "",
        f"## Alignments\n\n![Attention to one validation utterance]({alignments})"
        if alignments
        else "",
        "## What variants differ in",
        _list(layout.variant_lines(report)),
        "## What differs from the paper",
        _list(layout.departure_lines(report)),
        "## Columns",
        _legend(variant_legend(report)),
        "" if comparisons.empty else "Of the comparisons:",
        _legend(comparison_legend(report)),
        layout.origin(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(frame: pd.DataFrame) -> str:
    escaped = frame.map(lambda cell: cell.replace("|", r"\|"))
    align = ["left", *["right"] * (frame.shape[1] - 1)]
    # Without disable_numparse, tabulate would take "3.10" for a number and print 3.1.
    return escaped.to_markdown(index=False, colalign=align, disable_numparse=True)


def _legend(meanings: Mapping[str, str]) -> str:
    return _list(f"**{column}**: {meaning}" for column, meaning in meanings.items())


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {' '.join(line.split())}" for line in lines)
