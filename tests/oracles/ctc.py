"""Connectionist temporal classification, path by path."""

import itertools
import math
from collections import defaultdict

from torch import Tensor

Symbols = tuple[int, ...]


def spelled(path: Symbols, blank: int) -> Symbols:
    """What a path spells: repeats are merged, then blanks removed."""
    return tuple(symbol for symbol, _ in itertools.groupby(path) if symbol != blank)


def of_all_paths(log_probs: Tensor, blank: int) -> dict[Symbols, float]:
    """The probability of every sequence: the sum over all paths that spell it.

    ``log_probs`` are (entries, outputs).
    """
    scores = log_probs.tolist()
    total: dict[Symbols, float] = defaultdict(float)
    for path in itertools.product(range(log_probs.shape[1]), repeat=len(scores)):
        log_probability = sum(at[symbol] for at, symbol in zip(scores, path, strict=True))
        total[spelled(path, blank)] += math.exp(log_probability)
    return total
