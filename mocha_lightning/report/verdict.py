"""What a comparison means, in one plain sentence."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from mocha_lightning.report.formats import decimal, interval, p_statement, percent
from mocha_lightning.report.names import run_names
from mocha_lightning.report.results import Result, RunName
from mocha_lightning.report.signatures import comparable, signature
from mocha_lightning.report.statistics import (
    CONFIDENCE,
    FEW_RUNS,
    POWER,
    SIGNIFICANCE,
    Comparison,
    Mode,
)


def no_verdict(a: Sequence[Result], b: Sequence[Result], name_a: str, name_b: str) -> str | None:
    """Return why two variants cannot be compared at all, or None where they can.

    Numbers measured on different data or in different ways (:func:`comparable`) are no comparison,
    and a run that diverged has no number: leaving it out would flatter its variant.
    """
    obstacle = _obstacle(a, b, name_a, name_b)
    return None if obstacle is None else f"{name_a} against {name_b}: not compared: {obstacle}"


def _obstacle(a: Sequence[Result], b: Sequence[Result], name_a: str, name_b: str) -> str | None:
    for runs, name in ((a, name_a), (b, name_b)):
        if not runs:
            return f"no run of {name} is finished"
    metric = a[0].metric.name
    if a[0].data.sha256 != b[0].data.sha256:
        one, other = (runs[0].data.sha256[:12] for runs in (a, b))
        return f"different data sha256 ({name_a}: {one}, {name_b}: {other})"
    if not comparable(a[0], b[0]):
        one, other = (signature(runs[0]) for runs in (a, b))
        return f"different signature of {metric} ({name_a}: {one}, {name_b}: {other})"
    broken = [
        RunName(run.variant, run.seed)
        for run in (*a, *b)
        if not math.isfinite(run.metrics[metric].value)
    ]
    return f"{metric} is not a number in {run_names(broken)}" if broken else None


class Correction(NamedTuple):
    """What becomes of a comparison that is one of several."""

    tests: int
    """How many are corrected together."""
    p: float
    """Student's, corrected by Holm's method."""
    detectable: float
    """The true difference that this p value finds in 80 % of repetitions or more."""


def verdict(
    comparison: Comparison,
    name_a: str,
    name_b: str,
    mode: Mode,
    digits: int,
    correction: Correction | None = None,
    in_points: bool = False,
) -> str:
    """Say in one sentence which variant is better, by how much, and whether that is established.

    Args:
        comparison: variant a against variant b.
        name_a: the name of a.
        name_b: the name of b.
        mode: "min" where a lower value is better, "max" where a higher one is.
        digits: decimals of the difference and its interval.
        correction: where the comparison is one of several, by which the sentence goes then.
        in_points: differences are of values in per cent.
    """
    difference = decimal(comparison.difference, digits, sign=True)
    runs = f"N = {comparison.n_a} and {comparison.n_b}"
    if comparison.student_p is None or comparison.welch_p is None or comparison.interval is None:
        reason = f"fewer than two runs on a side ({runs})"
        if min(comparison.n_a, comparison.n_b) >= 2:
            reason = f"the runs of each variant are all equal ({runs})"
        if comparison.permutation_p is not None:
            reason += f"; the permutation test, {p_statement(comparison.permutation_p)}"
        return f"no t-test of {name_a} against {name_b}: {reason}; difference {difference}"
    if comparison.warning:
        runs += f" ({comparison.warning})"
    student, welch = p_statement(comparison.student_p), p_statement(comparison.welch_p)
    level = percent(CONFIDENCE, 0)
    found_by_welch = comparison.welch_p < SIGNIFICANCE
    significant = (correction.p if correction else comparison.student_p) < SIGNIFICANCE
    if correction:
        student = (
            f"{p_statement(correction.p)} after Holm's correction for {correction.tests} "
            f"comparisons ({student} before)"
        )
    if significant and not found_by_welch:
        # The interval is Welch's: a sentence that called one of them better would deny it.
        sentence = (
            f"no difference between {name_a} and {name_b} that both t-tests find: {difference} "
            f"({level} interval {interval(comparison.interval, digits, sign=True)}); Student's t, "
            f"{student}, Welch's, {welch}, {runs}"
        )
    elif not significant:
        sentence = (
            f"no significant difference between {name_a} and {name_b}: "
            f"{difference} ({level} interval {interval(comparison.interval, digits, sign=True)}); "
            f"Student's t, {student}, {runs}"
        )
        found = correction.detectable if correction else comparison.detectable
        sentence += _detectable(comparison, found, digits, in_points)
    else:
        lower = comparison.difference < 0
        word = "lower" if lower else "higher"
        quality = "better" if lower == (mode == "min") else "worse"
        low, high = comparison.interval
        distance = (-high, -low) if lower else (low, high)
        sentence = (
            f"{name_a} is {word} ({quality}) than {name_b} by "
            f"{decimal(abs(comparison.difference), digits)} "
            f"({level} interval {interval(distance, digits)}); "
            f"significant at {percent(SIGNIFICANCE, 0)} by Student's t, {student}, {runs}"
        )
    if significant != comparison.significant:
        return sentence
    return sentence + _disagreeing(comparison, " before correction" if correction else "")


def _detectable(
    comparison: Comparison, difference: float | None, digits: int, in_points: bool
) -> str:
    """What such runs would have found: without it, no difference sounds like an equality."""
    runs = f"{comparison.n_a} runs each"
    if comparison.n_a != comparison.n_b:
        runs = f"{comparison.n_a} and {comparison.n_b} runs"
    return (
        f"; with {runs} a difference of {decimal(difference, digits)}"
        f"{' points' if in_points else ''} would have been found with {percent(POWER, 0)} power"
    )


def _disagreeing(comparison: Comparison, when: str) -> str:
    """Say which other tests find what Student's does not, or do not find what it does.

    All of them as they are before any correction, which would move them alike.
    """
    of_fewer = min(comparison.n_a, comparison.n_b) < FEW_RUNS
    others = {
        # What Welch's does not find has a sentence of its own.
        "Welch's t": None if comparison.significant else comparison.welch_p,
        # Of fewer runs, no permutation is rare enough to be significant.
        "the permutation test": None if of_fewer else comparison.permutation_p,
    }
    return "".join(
        f"; {name} disagrees, {p_statement(p)}{when}"
        for name, p in others.items()
        if p is not None and comparison.significant != (p < SIGNIFICANCE)
    )
