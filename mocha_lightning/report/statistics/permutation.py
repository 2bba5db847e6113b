"""Tests that assume no distribution: how often chance alone does as much."""

from typing import Literal

import numpy as np
from jaxtyping import Float64
from numpy import ndarray
from scipy import stats

RESAMPLES = 20_000
"""All of 8 runs against 8 (12,870 ways to share them out) are tried; of more, so many at random."""


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
    found = stats.permutation_test(
        (a, b),
        lambda one, other, axis: np.mean(one, axis) - np.mean(other, axis),
        permutation_type=kind,
        vectorized=True,
        n_resamples=RESAMPLES,
        # So many at a time stay in the processor's memory, and give the same p.
        batch=500,
        rng=np.random.default_rng(0),
    )
    return float(found.pvalue)
