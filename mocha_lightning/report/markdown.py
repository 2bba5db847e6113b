"""The report as a Markdown page, `table.md`."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

import pandas as pd

from mocha_lightning.report import layout
from mocha_lightning.report.content import Report
from mocha_lightning.report.legend import comparison_legend, text_legend, variant_legend
from mocha_lightning.report.sample_list import sample_list, sentence
from mocha_lightning.report.samples import ABOUT
from mocha_lightning.report.signature_legend import record_legend, signature_legend
from mocha_lightning.report.text_tables import group_table, scores_table

FIGURES = {
    "undecided.png": (
        "Undecided scans",
        "Scores under hard and under expected attention against the undecided share",
        "A full mark is a run's score under hard attention, the hollow one joined to it the same "
        "run's under expected attention, against the share of its scan that the monotonic head "
        "does not decide: where the two marks are apart, the model recognises, and hard decoding "
        "fails. Word error rates are on a scale that is logarithmic from 1 % on. The numbers are "
        "in `runs.csv`, the figure for print in `figures/undecided.pdf`.",
    ),
    "reordering.png": (
        "Reordering",
        "Exact match against reordering distance",
        "Of documents in normal order: the words that a summary goes back in its document, at "
        "most. Distances are drawn by octaves of d + 1, which has a place for 0 too. Lines are "
        "means over the runs, bands reach from the worst run to the best; wider lines lie below "
        "narrower ones, so that curves that coincide are all seen. A dotted line is where a window "
        "of w words ends: an attention that never moves back and copies at distance d must see "
        "d + 1 words; a window that reaches beyond the furthest distance has no such mark. On the "
        "right, with the same range, documents told in reversed order: there heights alone mean "
        "something, and marks stand side by side to be told apart. The numbers are in "
        "`reordering.csv`, the figure for print in `figures/reordering.pdf`.",
    ),
    "alignments.png": (
        "Alignments",
        "Attention to one validation utterance",
        "A row is a variant's run, of the lowest seed that has kept any (N = 1 each): from top to "
        "bottom its outputs, the true ones given as inputs, against the time of the audio; the "
        "darker, the more weight, 0 white and 1 black. On the left expected attention, as in "
        "training, on the right hard attention, as in decoding, which for soft attention are the "
        "same; a row that stays white attends to nothing: the head has passed the utterance's end. "
        "Below is the audio's log-mel spectrogram. The weights are in each run's "
        "`alignments.npz`. The figure for print is `figures/alignments.pdf`.",
    ),
    "word-alignments.png": (
        "Alignments",
        "Attention to one validation document",
        "A panel is a variant's run, of the lowest seed that has kept any (N = 1 each). Rows are "
        "the words of the summary, each given the true ones before it, columns are the document's "
        "words, of which those that are attended to most are written first where there is no room "
        "for all. Darker is more weight, by its cube root, so that small weights are seen too. "
        "Expected attention is that of training, hard attention that of decoding; where both are "
        "the same, as of soft attention, it is drawn once. A cross beside a row says that nothing "
        "is attended to: a monotonic head has passed the document's end. The weights are in each "
        "run's `word-alignments.npz`. The figure for print is `figures/word-alignments.pdf`.",
    ),
}
"""By file: the heading, what the picture is of, and what to know of it."""


_BEGINNING = re.compile(r"^[#>+-]")


def markdown(report: Report, figures: Collection[str] = ()) -> str:
    """Put a report on a page: caption, tables, verdicts, what to know, and how to reproduce it.

    Args:
        report: what to say.
        figures: names of those in the folder ``figures`` beside the page.
    """
    incomplete = layout.incomplete(report)
    comparisons = layout.comparison_table(report)
    parts = [
        f"# {sentence(report.experiment)}",
        f"**{incomplete}**" if incomplete else "",
        sentence(layout.caption(report)),
        layout.training(report),
        *(f"**Warning:** {sentence(warning)}" for warning in report.warnings),
        markdown_table(layout.variant_table(report)),
        markdown_list(f"! {sentence(footnote)}" for footnote in report.footnotes),
        "Every run:",
        markdown_list(map(sentence, layout.run_lines(report))),
        "" if comparisons.empty else "## Comparisons",
        "" if comparisons.empty else markdown_table(comparisons),
        markdown_list(sentence(row.verdict) for row in report.comparisons),
        layout.uncompared(report) or layout.corrected(report) or "",
        *_published(report),
        *_text_tables(report),
        *_figures(figures),
        *_samples(report),
        "## What variants differ in",
        markdown_list(map(sentence, layout.variant_lines(report))),
        "## What differs from the paper",
        markdown_list(map(sentence, layout.departure_lines(report))),
        *_legend("## Columns", variant_legend(report)),
        *_legend("Of the comparisons:", comparison_legend(report)),
        *_legend("Of the tables of texts:", text_legend(report.texts)),
        *_legend("Of how the metric is measured:", signature_legend(report.signatures)),
        *_legend("Of `runs.csv`:", record_legend(report.runs)),
        sentence(layout.origin(report)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _published(report: Report) -> Iterator[str]:
    if said := layout.published(report):
        yield "## Published figures"
        yield sentence(said)
        yield markdown_table(layout.published_table(report))


def _text_tables(report: Report) -> Iterator[str]:
    for heading, table, names in (
        ("Baselines", scores_table(report.texts), 1),
        ("Scores by order", group_table(report.texts), 2),
    ):
        if not table.empty:
            yield f"## {heading}"
            yield markdown_table(table, names)


def _figures(names: Collection[str]) -> Iterator[str]:
    for name, (heading, picture, about) in FIGURES.items():
        if name in names:
            yield f"## {heading}"
            yield f"![{picture}](figures/{name})"
            yield about


def _samples(report: Report) -> Iterator[str]:
    if report.texts.samples:
        yield "## Samples"
        yield ABOUT
        yield sample_list(report.texts.samples, report.texts.sample_seeds)


def markdown_table(frame: pd.DataFrame, names: int = 1) -> str:
    """Write a table whose first columns are names and whose others are numbers."""
    frame = frame.rename(columns=_cell).map(_cell)
    align = [*["left"] * names, *["right"] * (frame.shape[1] - names)]
    # Without disable_numparse, tabulate would take "3.10" for a number and print 3.1.
    return frame.to_markdown(index=False, colalign=align, disable_numparse=True)


def _cell(text: str) -> str:
    return sentence(text).replace("|", r"\|")


def _legend(title: str, meanings: Mapping[str, str]) -> Iterator[str]:
    if meanings:
        yield title
        yield markdown_list(
            f"**{sentence(column)}**: {meaning}" for column, meaning in meanings.items()
        )


def markdown_list(lines: Iterable[str]) -> str:
    """Write a list of lines, each as it is."""
    texts = (" ".join(line.split()) for line in lines)
    # A note may begin like a heading or a list of its own.
    return "\n".join("- " + _BEGINNING.sub(r"\\\g<0>", text) for text in texts)
