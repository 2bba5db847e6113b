"""Outputs that know nothing of their document: what they score is no understanding of it."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

SEED = 0


def mismatched(hypotheses: Sequence[str]) -> list[str]:
    """The same outputs, each given to another document, drawn at random.

    There must be two documents or more: a single one would keep its own.
    """
    order = np.random.default_rng(SEED).permutation(len(hypotheses))
    # One round through all of them, so that none comes back to its own document.
    dealt = [""] * len(hypotheses)
    for taker, giver in zip(order, np.roll(order, 1), strict=True):
        dealt[taker] = hypotheses[giver]
    return dealt


def constant(hypotheses: Sequence[str]) -> list[str]:
    """The most frequent output for every document; of equally frequent ones the first."""
    ((commonest, _),) = Counter(hypotheses).most_common(1)
    return [commonest] * len(hypotheses)
