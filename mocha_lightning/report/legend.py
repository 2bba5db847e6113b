"""What each column of the two tables means, for those columns that a report has."""

import math

from mocha_lightning.report.formats import ABSENT
from mocha_lightning.report.layout import LATENCY
from mocha_lightning.report.tables import Report


def variant_legend(report: Report) -> dict[str, str]:
    """Explain the columns and signs of the table of variants."""
    decoding = " under hard decoding" if report.decoding else ""
    legend = {
        "N": "finished runs, one for each seed.",
        "best, mean, SD": (
            f"over the runs, of {report.metric.name}{decoding}; SD is the standard deviation with "
            "N - 1."
        ),
    }
    if report.decoding:
        legend["mean, expected"] = (
            "mean of the same metric when decoding uses expected attention, as training does. "
            "Where it is much better than the mean, hard decoding loses what training has learnt."
        )
    legend |= {
        "undecided": (
            "probability-weighted share of selection probabilities in (0.1, 0.9), among the "
            "entries that the head can reach."
        ),
        "off the end": (
            "share of hard-decoding output steps whose context is zero because the scan has "
            "passed the memory's end."
        ),
        "length cap": "share of hypotheses cut off at the greatest length allowed.",
    }
    if any(row.latency is not None for row in report.variants):
        legend[LATENCY] = (
            "milliseconds of audio, from a word's end, that a stream has heard when it gives a "
            "symbol of the word: median over the symbols of words that greedy search has right "
            "under hard attention, and the time that 90 % of them keep to; mean over the runs. "
            "What has no monotonic head waits for the utterance's end. The time to compute comes "
            "on top."
        )
    legend |= {
        "best step": (
            "training step that did best on the validation set, mean over the runs that came to "
            "their end."
        ),
        "parameters": "trained numbers, and how many more than the first variant's.",
        "seconds": (
            "time of one run, mean over the same runs; what is done beside it makes it longer."
        ),
        ABSENT: (
            "no such figure: what has no monotonic head selects nothing and runs past no end, CTC "
            "has no attention and no cap, and a single run has no standard deviation."
        ),
    }
    figures = (figure for row in report.variants for figure in vars(row).values())
    if any(isinstance(figure, float) and math.isnan(figure) for figure in figures):
        legend["NaN"] = "a run has no number here; a mean without it would flatter its variant."
    if report.footnotes:
        legend["!"] = "runs need a second look: see the lines below the table."
    return legend


def comparison_legend(report: Report) -> dict[str, str]:
    """Explain the columns of the table of comparisons; empty where there is none."""
    if not report.comparisons:
        return {}
    below = "better" if report.metric.mode == "min" else "worse"
    return {
        "difference": (
            "mean of the first variant minus mean of the second: below zero the first is the "
            f"lower, which here is {below}."
        ),
        "95 % interval, Welch's": (
            "of 100 such intervals, 95 hold the true difference, also where both variants do not "
            "vary alike; one that holds zero leaves open which is better."
        ),
        "Student's t (p)": (
            "unpaired and two-sided, with the variances of both variants pooled, as in the paper. "
            "p is how often two equal variants would differ by so much or more, either way."
        ),
        "Welch's t (p)": "the same without the assumption that both variants vary alike.",
        "N": "finished runs of the first variant and of the second.",
    }
