"""How far a score depends on which documents or utterances were in the test set.

The bootstrap draws as many of them with replacement, again and again. SciPy's serves means and
ratios alike and takes a seed of its own (rouge_score's aggregator knows means alone and draws from
NumPy's global stream). Percentiles are what ROUGE has always been given with.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Num
from numpy import ndarray
from scipy.stats import bootstrap

LEVEL = 0.95
RESAMPLES = 1000
SEED = 0
INTERVAL_SIGNATURE = f"95 % interval:bootstrap, percentile|resamples:{RESAMPLES}|seed:{SEED}"
AT_ONCE = 50
"""Resamples that are in memory at a time."""


class Interval(NamedTuple):
    """What 95 % of the resamples lie in."""

    low: float
    high: float


def mean_interval(values: Num[ndarray, " documents"]) -> Interval:
    """Of a mean over documents."""
    return _interval((np.asarray(values, float),), lambda drawn, axis: drawn.mean(axis))


def ratio_interval(
    counted: Num[ndarray, " utterances"], total: Num[ndarray, " utterances"]
) -> Interval:
    """Of a ratio of sums, such as word edits over words: utterances are drawn with both."""
    return _interval(
        (np.asarray(counted, float), np.asarray(total, float)),
        lambda drawn, of, axis: drawn.sum(axis) / np.maximum(of.sum(axis), 1),
    )


def _interval(samples: tuple[ndarray, ...], statistic: Callable[..., ndarray]) -> Interval:
    if len(samples[0]) < 2:  # of one, every resample is the same
        value = float(statistic(*samples, axis=-1))
        return Interval(value, value)
    found = bootstrap(
        samples,
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=AT_ONCE,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))
