"""Two variants by the values of their runs, unpaired.

What needs N, mean and standard deviation alone can be had of values that a paper prints, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from mocha_lightning.report.statistics.effects import (
    detectable_difference,
    detectable_effect,
    hedges_g,
    probability_above,
)
from mocha_lightning.report.statistics.levels import CONFIDENCE, FEW_RUNS, SIGNIFICANCE
from mocha_lightning.report.statistics.permutation import permutation_p
from mocha_lightning.report.statistics.summary import SMALLEST, checked, deviation

MOST_RUNS = 1_000_000_000
LARGEST = 1e60
"""Its fourth power, which degrees of freedom take, is still a number."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How far two variants are apart, and whether their runs vary too much to tell.

    All that needs a test is None where no test exists: with fewer than two runs on either side,
    and, the permutation test aside, where neither side varies at all. There a t-test divides by
    zero; SciPy answers NaN for equal constants and p = 0 for different ones, and neither is
    evidence.
    """

    n_a: int
    n_b: int
    mean_a: float
    mean_b: float
    difference: float
    """mean_a - mean_b"""
    interval: tuple[float, float] | None = None
    """95 % interval of the difference, Welch's."""
    student_t: float | None = None
    student_p: float | None = None
    welch_t: float | None = None
    welch_p: float | None = None
    welch_df: float | None = None
    hedges_g: float | None = None
    """The difference in pooled standard deviations, corrected for few runs."""
    hedges_g_interval: tuple[float, float] | None = None
    """Its 95 % interval."""
    detectable: float | None = None
    """The true difference that Student's test would find in 80 % of repetitions, of runs that vary
    as these do."""
    permutation_p: float | None = None
    """Of the exact permutation test; None of summaries too."""
    probability_above: float | None = None
    """That a run of a has a higher value than one of b, ties halved; None of summaries."""

    @property
    def significant(self) -> bool | None:
        """Whether Student's t-test finds a difference at 5 %; None without a test."""
        return None if self.student_p is None else self.student_p < SIGNIFICANCE

    @property
    def warning(self) -> str | None:
        """What to say beside a test of so few runs; None from five runs a side."""
        if min(self.n_a, self.n_b) >= FEW_RUNS:
            return None
        return f"fewer than {FEW_RUNS} runs a side: the test itself is unsure"


def compare(a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compare two variants by the values of their runs, unpaired.

    Args:
        a: one value for each run of the first variant.
        b: the same for the second; the numbers of runs may differ.

    Returns:
        The difference of the means (a - b) with Student's and Welch's tests, where they exist.

    Raises:
        ValueError: a side is empty or holds NaN or an infinite value. Leaving such a run out
            would flatter the variant that diverged, so that is never done here.
    """
    first, second = checked(a), checked(b)
    found = compare_summaries(
        float(first.mean()),
        deviation(first),
        first.size,
        float(second.mean()),
        deviation(second),
        second.size,
    )
    above = probability_above(first, second)
    if min(first.size, second.size) < 2:
        return replace(found, probability_above=above)
    p = permutation_p(first, second, "independent")
    return replace(found, probability_above=above, permutation_p=p)


def compare_summaries(
    mean_a: float, sd_a: float | None, n_a: int, mean_b: float, sd_b: float | None, n_b: int
) -> Comparison:
    """Compare two variants by mean, standard deviation and N, which is what papers print.

    Args:
        mean_a: mean over the first variant's runs.
        sd_a: their standard deviation (N - 1 below the sum); None or 0 for a single run, which has
            none.
        n_a: the number of runs.
        mean_b: the same three figures for the second variant.
        sd_b: see sd_a.
        n_b: see n_a.

    Raises:
        ValueError: a figure is NaN, infinite, negative, or too small or large to compute with; N
            is below 1, or 1 with a standard deviation.
    """
    for mean, sd, n in ((mean_a, sd_a, n_a), (mean_b, sd_b, n_b)):
        if n < 1 or not np.isfinite(mean):
            raise ValueError(f"mean {mean} of {n} runs: need a finite mean of one run or more")
        if n > 1 and (sd is None or not np.isfinite(sd) or sd < 0):
            raise ValueError(f"standard deviation {sd} of {n} runs: need a finite one, not below 0")
        if n == 1 and sd:
            raise ValueError(
                f"standard deviation {sd} of 1 run: one run has none; give 0, and there is no test"
            )
        if n > MOST_RUNS:
            raise ValueError(f"{n:.3g} runs: need {MOST_RUNS:,} at most")
        if abs(mean) > LARGEST or not (sd is None or sd == 0 or SMALLEST <= sd <= LARGEST):
            raise ValueError(
                f"mean {mean} and standard deviation {sd} cannot be computed with: give them "
                "in another unit"
            )

    difference = mean_a - mean_b
    untested = Comparison(n_a=n_a, n_b=n_b, mean_a=mean_a, mean_b=mean_b, difference=difference)
    if n_a < 2 or n_b < 2 or sd_a is None or sd_b is None or sd_a == sd_b == 0:
        return untested

    student = stats.ttest_ind_from_stats(mean_a, sd_a, n_a, mean_b, sd_b, n_b, equal_var=True)
    welch = stats.ttest_ind_from_stats(mean_a, sd_a, n_a, mean_b, sd_b, n_b, equal_var=False)
    # SciPy keeps the degrees of freedom (Welch-Satterthwaite) to itself when given summaries.
    error_a, error_b = sd_a**2 / n_a, sd_b**2 / n_b
    welch_df = (error_a + error_b) ** 2 / (error_a**2 / (n_a - 1) + error_b**2 / (n_b - 1))
    low, high = stats.t.interval(
        CONFIDENCE, welch_df, loc=difference, scale=(error_a + error_b) ** 0.5
    )
    g, g_interval = hedges_g(mean_a, sd_a, n_a, mean_b, sd_b, n_b)
    return Comparison(
        n_a=n_a,
        n_b=n_b,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
        interval=(float(low), float(high)),
        student_t=float(student.statistic),
        student_p=float(student.pvalue),
        welch_t=float(welch.statistic),
        welch_p=float(welch.pvalue),
        welch_df=float(welch_df),
        hedges_g=g,
        hedges_g_interval=g_interval,
        detectable=detectable_difference(sd_a, n_a, sd_b, n_b),
    )


def detectable_among(found: Comparison, tests: int) -> float | None:
    """The true difference that is found in 80 % of repetitions or more, though it is one of many.

    A p value that Holm's method corrects is at most multiplied by the number of tests: what the
    test finds at 5 % divided by that number, it finds whatever becomes of the other tests.

    Args:
        found: a comparison.
        tests: how many comparisons are corrected together, this one among them.

    Returns:
        The difference, never below ``found.detectable``; None without a test.
    """
    if found.detectable is None:
        return None
    alone, among = (detectable_effect(found.n_a, found.n_b, each) for each in (1, tests))
    return found.detectable * among / alone
