"""Chunks whose beginning or size varies (MAtChA, MILk, AdaptiveMoChA), and MTA, entry by entry.

Sequences are 1-D float64 arrays; indices count from 0, and a scan that passes the end stops at T.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oracles.alignment import Sequence, chunkwise, sigmoid


def softmax_between(energies: Sequence, first: int, last: int) -> Sequence:
    """exp(u_j) / sum_{m=first}^{last} exp(u_m) at those entries, 0 elsewhere.

    Written as 1 / sum_m exp(u_m - u_j), the same number, where the exponentials would overflow.
    """
    weights = np.zeros(len(energies))
    with np.errstate(over="ignore"):
        for j in range(first, last + 1):
            if energies[j] > -np.inf:
                terms = [np.exp(energies[m] - energies[j]) for m in range(first, last + 1)]
                weights[j] = 1 / sum(terms)
    return weights


def matcha_by_definition(logits: Sequence, energies: Sequence, previous: Sequence) -> Sequence:
    """The paper's eq. 28, sum by sum."""
    p, skip = sigmoid(logits), sigmoid(-logits)
    time = len(p)
    beta = np.zeros(time)
    for j in range(time):
        for k in range(j + 1):
            for stop in range(j, time):
                softmax = softmax_between(energies, k, stop)[j]
                beta[j] += softmax * previous[k] * p[stop] * np.prod(skip[k:stop])
    return beta


def matcha_by_chunks(logits: Sequence, energies: Sequence, previous: Sequence) -> Sequence:
    """The same, one chunk after the other, for longer memories."""
    p, skip = sigmoid(logits), sigmoid(-logits)
    beta = np.zeros(len(p))
    for k in range(len(p)):
        reach = previous[k]
        for stop in range(k, len(p)):
            chunk = energies[k : stop + 1]
            peak = chunk.max()
            if peak > -np.inf:
                exponentials = np.exp(chunk - peak)
                beta[k : stop + 1] += reach * p[stop] * exponentials / exponentials.sum()
            reach *= skip[stop]
    return beta


def milk(alpha: Sequence, energies: Sequence) -> Sequence:
    """beta_j = sum_{k>=j} alpha_k exp(u_j) / sum_{l<=k} exp(u_l)."""
    beta = np.zeros(len(alpha))
    for k in range(len(alpha)):
        beta += alpha[k] * softmax_between(energies, 0, k)
    return beta


def mta(logits: Sequence) -> Sequence:
    """a_j = p_j prod_{k<j} (1 - p_k)."""
    p, skip = sigmoid(logits), sigmoid(-logits)
    return np.array([p[j] * np.prod(skip[:j]) for j in range(len(p))])


def mixed_chunkwise(
    alpha: Sequence, energies: Sequence, probabilities: Sequence, sizes: tuple[int, ...]
) -> Sequence:
    """The mean of MoChA's beta over the chunk sizes."""
    return sum(
        probability * chunkwise(alpha, energies, size)
        for probability, size in zip(probabilities, sizes, strict=True)
    )


def hard_scan(
    energies: NDArray[np.float64], weights: Callable[[int, int, int], Sequence]
) -> tuple[list[Sequence], list[int]]:
    """Algorithm 1 for the monotonic energies (outputs, time): weights w_i and stops t_i.

    ``weights`` maps (i, t_{i-1}, t_i) to what output i attends to. A scan that passed the end
    attends to nothing and never comes back.
    """
    outputs, time = energies.shape
    found, stops, t = [], [], 0
    for i in range(outputs):
        stop = t
        while stop < time and energies[i, stop] < 0:
            stop += 1
        found.append(weights(i, t, stop) if stop < time else np.zeros(time))
        stops.append(stop)
        t = stop
    return found, stops


def hard_mta(energies: NDArray[np.float64]) -> tuple[list[Sequence], list[int]]:
    """Miao et al.'s eqs. 28 to 32: weights and ends t_i, which stay where nothing is found."""
    outputs, time = energies.shape
    found, ends, t = [], [], 0
    for i in range(outputs):
        weights = np.zeros(time)
        for j in range(t, time):
            if 1 / (1 + np.exp(-energies[i, j])) >= 0.5:
                t = j
                for k in range(t + 1):
                    weights[k] = 1 / (1 + np.exp(-energies[i, k]))
                    for n in range(k):
                        weights[k] *= 1 - 1 / (1 + np.exp(-energies[i, n]))
                break
        found.append(weights)
        ends.append(t)
    return found, ends
