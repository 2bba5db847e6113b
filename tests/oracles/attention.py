"""Energies, soft attention and Algorithm 1 for one utterance, as the paper writes them.

Indices count from 0, so t_0 = 0 and the memory's last entry is T - 1.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def additive_energy(v: Array, w_h: Array, w_s: Array, b: Array, h: Array, s: Array) -> float:
    """Eq. 5: v^T tanh(W_h h_j + W_s s_{i-1} + b)."""
    return float(v @ np.tanh(w_h @ h + w_s @ s + b))


def monotonic_energy(
    g: float, r: float, v: Array, w_h: Array, w_s: Array, b: Array, h: Array, s: Array
) -> float:
    """Eq. 13: g v^T/||v|| tanh(W_s s_{i-1} + W_h h_j + b) + r."""
    return g * additive_energy(v, w_h, w_s, b, h, s) / math.sqrt(sum(v**2)) + r


def soft_weights(energies: Array) -> Array:
    """softmax(e_{i,:})."""
    exponentials = [math.exp(energy) for energy in energies]
    return np.array([exponential / sum(exponentials) for exponential in exponentials])


def algorithm_1(
    memory: Array,
    outputs: int,
    chunk_size: int,
    monotonic_energy: Callable[[int, int], float],
    chunk_energy: Callable[[int, int], float],
) -> tuple[Array, list[int]]:
    """Lines 4 to 19 of Algorithm 1 for each output i: the contexts c_i and the stops t_i.

    The energies are functions of (i, j). Where the scan passes the end, t_i = T: the algorithm
    leaves it open, and the training recurrence says that the scan does not come back.
    """
    T, _ = memory.shape  # noqa: N806 (the paper's name)
    t = 0
    contexts, stops = [], []
    for i in range(outputs):
        c = np.zeros(memory.shape[1])
        stopped = False
        for j in range(t, T):
            e = monotonic_energy(i, j)
            p = 1 / (1 + math.exp(-e))
            if p >= 0.5:
                v = j - chunk_size + 1
                u = {k: chunk_energy(i, k) for k in range(max(v, 0), j + 1)}
                for k in u:
                    c += math.exp(u[k]) / sum(math.exp(u[m]) for m in u) * memory[k]
                t = j
                stopped = True
                break
        if not stopped:
            t = T
        contexts.append(c)
        stops.append(t)
    return np.array(contexts), stops
