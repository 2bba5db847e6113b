"""How large a difference is beside the variation of runs, and how large one could be seen."""

from jaxtyping import Float64
from numpy import ndarray
from scipy import special, stats
from statsmodels.stats.meta_analysis import effectsize_smd

from mocha_lightning.report.statistics.levels import CONFIDENCE, POWER, SIGNIFICANCE


def hedges_g(
    mean_a: float, sd_a: float, n_a: int, mean_b: float, sd_b: float, n_b: int
) -> tuple[float, tuple[float, float]]:
    """The difference in pooled standard deviations, without the bias of few runs (Hedges 1981).

    Args:
        mean_a: mean over the first variant's runs.
        sd_a: their standard deviation.
        n_a: their number, at least 2.
        mean_b: the same three figures for the second variant.
        sd_b: see sd_a; one of the two is above 0.
        n_b: see n_a.

    Returns:
        Hedges' g and its 95 % interval, by the normal approximation of its variance.
    """
    g, variance = effectsize_smd(mean_a, sd_a, n_a, mean_b, sd_b, n_b)
    low, high = stats.norm.interval(CONFIDENCE, loc=g, scale=variance**0.5)
    return float(g), (float(low), float(high))


def probability_above(a: Float64[ndarray, " runs_a"], b: Float64[ndarray, " runs_b"]) -> float:
    """The share of pairs of a run of each where a's value is above b's; ties count half.

    The probability of improvement of Agarwal et al. (2021), where higher is better. It is Mann and
    Whitney's U over the number of pairs.
    """
    return float(stats.mannwhitneyu(a, b).statistic) / (len(a) * len(b))


def detectable_difference(sd_a: float, n_a: int, sd_b: float, n_b: int) -> float:
    """The true difference that Student's t-test finds in 80 % of repetitions, at 5 %.

    Of runs that vary as these do: the standard deviation is the pooled one.
    """
    pooled = (((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / (n_a + n_b - 2)) ** 0.5
    return float(detectable_effect(n_a, n_b) * pooled)


def detectable_effect(n_a: int, n_b: int, tests: int = 1) -> float:
    """The same in standard deviations, where so many tests share the 5 % equally."""
    return float(_noncentrality(n_a + n_b - 2, tests) * (1 / n_a + 1 / n_b) ** 0.5)


def detectable_paired_difference(sd: float, n: int) -> float:
    """The same for the paired test, of differences with this standard deviation."""
    return float(_noncentrality(n - 1) / n**0.5 * sd)


def _noncentrality(df: int, tests: int = 1) -> float:
    """Where a t statistic must centre to be beyond its critical value in 80 % of repetitions.

    That it is beyond the other one, of the wrong sign, is rarer than one in a thousand.
    """
    critical = stats.t.isf(SIGNIFICANCE / tests / 2, df)
    return float(special.nctdtrinc(df, 1 - POWER, critical))
