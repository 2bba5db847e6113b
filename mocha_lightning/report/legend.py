"""What each column of the two tables means, for those columns that a report has."""

import math
from collections.abc import Iterator

import pandas as pd

from mocha_lightning.report.content import Report
from mocha_lightning.report.formats import ABSENT
from mocha_lightning.report.layout import (
    EXPECTED,
    HOLM,
    LATENCIES,
    SELECTING,
    comparison_table,
    variant_table,
)
from mocha_lightning.report.text_tables import group_table, scores_table
from mocha_lightning.report.texts import Texts

_MEANINGS = {
    EXPECTED: (
        "mean of the same metric when decoding uses expected attention, as training does. Where it "
        "is much better than the mean, hard decoding loses what training has learnt."
    ),
    "undecided": (
        "probability-weighted share of selection probabilities in (0.1, 0.9), among the entries "
        "that the head can reach."
    ),
    "off the end": (
        "share of hard-decoding output steps whose context is zero because the scan has passed the "
        "memory's end."
    ),
    "length cap": "share of hypotheses cut off at the greatest length allowed.",
    LATENCIES[0]: (
        "milliseconds of audio, from a word's end, that a stream has heard when it gives a symbol "
        "of the word: median over the symbols of words that greedy search has right under hard "
        "attention, and the time that 90 % of them keep to; mean over the runs. What has no "
        "monotonic head waits for the utterance's end, CTC for nothing. The time to compute comes "
        "on top."
    ),
    LATENCIES[1]: (
        "the same until the space or the end symbol after a word has come, which tells that the "
        "word is whole: then it can be shown."
    ),
    "best step": (
        "training step that did best on the validation set, mean over the runs that came to their "
        "end."
    ),
    "parameters": "trained numbers, and how many more than the first variant's.",
    "seconds": "time of one run, mean over the same runs; what is done beside it makes it longer.",
}
_REASONS = {
    SELECTING: "what has no monotonic head selects nothing and runs past no end",
    (EXPECTED, "length cap"): "CTC has no attention and no cap",
    ("SD",): "a single run has no standard deviation",
    LATENCIES: "no word was right, or a corpus does not know when its words end",
}
"""Why there may be no figure in some columns."""


def variant_legend(report: Report) -> dict[str, str]:
    """Explain the columns and signs of the table of variants."""
    table = variant_table(report)
    decoding = " under hard decoding" if report.decoding else ""
    scores = [column for column in ("best", "mean", "SD") if column in table]
    deviation = "; SD is the standard deviation with N - 1" if "SD" in table else ""
    legend = {
        "N": "finished runs, one for each seed.",
        ", ".join(scores): f"over the runs, of {report.metric.name}{decoding}{deviation}.",
        **{column: meaning for column, meaning in _MEANINGS.items() if column in table},
        **dict(_signs(report, table)),
    }
    if report.footnotes:
        legend["!"] = "runs need a second look: see the lines below the table."
    return legend


def _signs(report: Report, table: pd.DataFrame) -> Iterator[tuple[str, str]]:
    finished = table[table["N"] != "0"]
    reasons = [
        reason
        for columns, reason in _REASONS.items()
        if any(column in finished and (finished[column] == ABSENT).any() for column in columns)
    ]
    if len(finished) < len(table):
        reasons.append("a variant has no finished run")
    if reasons:
        yield ABSENT, f"no such figure: {'; '.join(reasons)}."
    figures = (figure for row in report.variants for figure in vars(row).values())
    if any(isinstance(figure, float) and math.isnan(figure) for figure in figures):
        yield "NaN", "a run has no number here; a mean without it would flatter its variant."


def comparison_legend(report: Report) -> dict[str, str]:
    """Explain the columns of the table of comparisons; empty where there is none."""
    if not report.comparisons:
        return {}
    meaning = (
        "Student's p, corrected by Holm's method for the number of comparisons: where it is below "
        "0.05, the chance that any of those found is found by chance alone is below 5 %."
    )
    below = "better" if report.metric.mode == "min" else "worse"
    return {
        "difference": (
            "mean of the first variant minus mean of the second: below zero the first is the "
            f"lower, which here is {below}."
        ),
        "95 % interval, Welch's": (
            "of 100 such intervals, 95 hold the true difference, if scores are about normal, also "
            "where both variants do not vary alike; one that holds zero leaves open which is "
            "better."
        ),
        "Student's t (p)": (
            "unpaired and two-sided, with the variances of both variants pooled, as in the paper. "
            "p is how often two equal variants would differ by so much or more, either way."
        ),
        "Welch's t (p)": "the same without the assumption that both variants vary alike.",
        **({HOLM: meaning} if HOLM in comparison_table(report) else {}),
        "N": "finished runs of the first variant and of the second.",
    }


def text_legend(texts: Texts) -> dict[str, str]:
    """Explain the tables of predictions; empty where there is none."""
    if scores_table(texts).empty and group_table(texts).empty:
        return {}
    return {
        "exact match": "per cent of documents whose summary has the reference's words.",
        "ROUGE": (
            "F1, the mean over documents in per cent. ROUGE-Lsum compares a summary with its "
            "reference sentence by sentence, ROUGE-L as if each were a single sentence: what See "
            "et al. (2017) and others call the ROUGE-L of summaries is ROUGE-Lsum. The MoChA paper "
            "prints ROUGE-1 and ROUGE-2 alone."
        ),
        "98.20 (0.31)": (
            "mean over the runs, and their standard deviation with N - 1. Variants are decoded as "
            "in the table of variants."
        ),
    }
