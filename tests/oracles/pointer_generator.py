"""The pointer-generator's distribution, word by word (See et al. 2017, equation 9)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def generation_probability(
    w_c: Array, w_s: Array, w_x: Array, b: float, c: Array, s: Array, x: Array
) -> float:
    """Equation 8: p_gen = sigmoid(w_c c_i + w_s s_i + w_x x_i + b)."""
    return 1 / (1 + math.exp(-float(w_c @ c + w_s @ s + w_x @ x + b)))


def mixture(
    p_gen: float,
    vocabulary: Sequence[float],
    weights: Sequence[float],
    words: Sequence[int],
    size: int,
    lost_mass: str,
) -> list[float]:
    """P(w) of every word of the extended vocabulary, given P_vocab and the attention's weights.

    ``words`` are the words that the weights belong to.
    """
    generate = p_gen
    if lost_mass == "generator":
        generate += (1 - p_gen) * (1 - sum(weights))
    found = []
    for word in range(size):
        probability = generate * vocabulary[word] if word < len(vocabulary) else 0.0
        for entry, weight in zip(words, weights, strict=True):
            if entry == word:
                probability += (1 - p_gen) * weight
        found.append(probability)
    return found


def coverage(weights: Sequence[Sequence[float]]) -> float:
    """Equation 12 for one document: sum_j min(a_{i,j}, c_{i,j}), summed over the outputs i."""
    total, covered = 0.0, [0.0] * len(weights[0])
    for row in weights:
        for j, weight in enumerate(row):
            total += min(weight, covered[j])
            covered[j] += weight
    return total
