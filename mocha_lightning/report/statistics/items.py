"""Two trained models on the same test items: what another choice of items would have changed.

It says nothing of other seeds: two runs of one variant differ here too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from numpy import ndarray
from scipy import stats

from mocha_lightning.report.statistics.levels import CONFIDENCE
from mocha_lightning.report.statistics.summary import checked

RESAMPLES = 10_000


@dataclass(frozen=True, kw_only=True)
class ItemComparison:
    """How far two models are apart on one test set.

    Intervals and p are None where there is one item, or where both models have the same score on
    every item.
    """

    n: int
    """Number of items."""
    score_a: float
    score_b: float
    difference: float
    """score_a - score_b"""
    interval: tuple[float, float] | None = None
    """95 % percentile interval of the difference over resampled items."""
    p: float | None = None
    """Two-sided, by the paired bootstrap as in sacrebleu (Koehn 2004): of resamples, centred, as
    far from nothing as the difference is."""


def compare_items(
    a: Sequence[float] | ndarray,
    b: Sequence[float] | ndarray,
    sizes: Sequence[float] | ndarray,
    seed: int = 0,
) -> ItemComparison:
    """Compare two models item by item, by a paired bootstrap over the items.

    A score is the sum over the items by the sum of their sizes: of word errors by words for a
    corpus-level word error rate, of a document's ROUGE by 1 for a mean.

    Args:
        a: the first model's figure for each item.
        b: the second's, of the same items in the same order.
        sizes: of the items.
        seed: of the resampling.

    Raises:
        ValueError: the three differ in length, are empty or not finite; the sizes sum to 0.
    """
    first, second, size = checked(a), checked(b), checked(sizes)
    if not len(first) == len(second) == len(size):
        raise ValueError(
            f"need a figure of both models and a size for each item, not {len(first)}, "
            f"{len(second)} and {len(size)}"
        )
    if size.sum() <= 0 or (size < 0).any():
        raise ValueError("sizes must not be negative, nor sum to 0")
    apart = first - second
    scores = {
        "n": len(first),
        "score_a": float(first.sum() / size.sum()),
        "score_b": float(second.sum() / size.sum()),
        "difference": _ratio(apart, size, -1).item(),
    }
    if len(first) < 2 or not apart.any():
        return ItemComparison(**scores)
    found = stats.bootstrap(
        (apart, size),
        _ratio,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        batch=100,
        rng=np.random.default_rng(seed),
    )
    low, high = found.confidence_interval
    drawn = found.bootstrap_distribution
    as_far = np.abs(drawn - drawn.mean()) >= abs(scores["difference"])
    return ItemComparison(
        **scores,
        interval=(float(low), float(high)),
        # With the sample itself among the resamples, so that p is never 0.
        p=float((as_far.sum() + 1) / (len(drawn) + 1)),
    )


def _ratio(
    sums: Float64[ndarray, "... items"], sizes: Float64[ndarray, "... items"], axis: int
) -> Float64[ndarray, "..."]:
    size = sizes.sum(axis)
    # Of few items, some may be drawn of which none has a size.
    return np.asarray(sums.sum(axis) / np.where(size == 0, 1, size))
