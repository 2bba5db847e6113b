"""Two variants whose runs pair: a run of each with one seed, which fixes all that both share."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from mocha_lightning.report.statistics.effects import detectable_paired_difference
from mocha_lightning.report.statistics.levels import CONFIDENCE, SIGNIFICANCE
from mocha_lightning.report.statistics.permutation import permutation_p
from mocha_lightning.report.statistics.summary import checked, deviation


@dataclass(frozen=True, kw_only=True)
class PairedComparison:
    """How far two variants are apart with the same seeds.

    All that needs a test is None where none exists: with fewer than two pairs, and where all
    differences are equal.
    """

    n: int
    """Number of pairs."""
    difference: float
    """Mean of a - b."""
    sd: float | None = None
    """Standard deviation of the differences; None for a single pair."""
    interval: tuple[float, float] | None = None
    """95 % interval of the difference."""
    t: float | None = None
    p: float | None = None
    """Of the paired t-test."""
    permutation_p: float | None = None
    detectable: float | None = None
    """The difference that the test finds in 80 % of repetitions."""
    correlation: float | None = None
    """Of the two variants' values; where it is not above 0, pairing gains nothing."""

    @property
    def significant(self) -> bool | None:
        """Whether the paired t-test finds a difference at 5 %; None without a test."""
        return None if self.p is None else self.p < SIGNIFICANCE


def compare_paired(a: Mapping[int, float], b: Mapping[int, float]) -> PairedComparison:
    """Compare two variants by the values of their runs, seed by seed.

    Args:
        a: the first variant's values by seed.
        b: the second's; seeds that one of them lacks are left out.

    Raises:
        ValueError: no seed is in both; a value is NaN or infinite.
    """
    seeds = sorted(a.keys() & b.keys())
    first, second = (checked([values[seed] for seed in seeds]) for values in (a, b))
    differences = first - second
    sd = deviation(differences) if np.any(differences) else 0.0
    unsure = PairedComparison(n=len(seeds), difference=float(differences.mean()), sd=sd)
    if len(seeds) < 2:
        return PairedComparison(n=len(seeds), difference=unsure.difference)
    if not sd:
        return unsure
    tested = stats.ttest_rel(first, second)
    low, high = tested.confidence_interval(CONFIDENCE)
    vary = bool(deviation(first)) and bool(deviation(second))
    return PairedComparison(
        n=unsure.n,
        difference=unsure.difference,
        sd=sd,
        interval=(float(low), float(high)),
        t=float(tested.statistic),
        p=float(tested.pvalue),
        permutation_p=permutation_p(first, second, "samples"),
        detectable=detectable_paired_difference(sd, len(seeds)),
        correlation=float(stats.pearsonr(first, second).statistic) if vary else None,
    )
