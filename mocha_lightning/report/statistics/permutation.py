"""Tests that assume no distribution: how often chance alone does as much."""

import math
from typing import Literal

import numpy as np
from jaxtyping import Float64
from numpy import ndarray
from scipy import stats

MOST_WAYS = 20_000
"""Where there are no more ways to share runs out, all are tried: 8 against 8 have 12,870."""
RESAMPLES = 9_999
"""Ways tried at random where there are more; a p of 0.05 is then known within 0.006."""


def permutation_p(
    a: Float64[ndarray, " runs_a"],
    b: Float64[ndarray, " runs_b"],
    kind: Literal["independent", "samples"],
) -> float:
    """The two-sided p value of the difference of the means.

    Args:
        a: the first variant's values.
        b: the second's.
        kind: "independent" shares all runs out anew; "samples" exchanges the two of a seed.
    """
    ways = math.comb(len(a) + len(b), len(a)) if kind == "independent" else 2 ** len(a)
    found = stats.permutation_test(
        (a, b),
        lambda one, other, axis: np.mean(one, axis) - np.mean(other, axis),
        permutation_type=kind,
        vectorized=True,
        n_resamples=ways if ways <= MOST_WAYS else RESAMPLES,
        # So many at a time stay in the processor's memory, and give the same p.
        batch=500,
        rng=np.random.default_rng(0),
    )
    return float(found.pvalue)
