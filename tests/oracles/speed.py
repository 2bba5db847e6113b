"""All outputs of the speed benchmark by the paper's equations, and the energies that they need."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracles.attention import additive_energy, algorithm_1, monotonic_energy, soft_weights

Array = NDArray[np.float64]


class Outputs(NamedTuple):
    """Contexts of all outputs, and how many energies they took: to stop, and for weights."""

    contexts: Array
    stops: list[int]
    scanned: int
    weighed: int


def soft(problem: Any) -> Outputs:
    memory, queries = problem.memory.astype(float), problem.queries.astype(float)
    contexts, weighed = [], 0
    for s in queries:
        energies = []
        for h in memory:
            energies.append(additive_energy(*_weights(problem.soft), h, s))
            weighed += 1
        weights = soft_weights(np.array(energies))
        contexts.append(sum(weight * h for weight, h in zip(weights, memory, strict=True)))
    return Outputs(np.array(contexts), [], 0, weighed)


def mocha(problem: Any, chunk_size: int) -> Outputs:
    memory, queries = problem.memory.astype(float), problem.queries.astype(float)
    scanned, weighed = [], []

    def head(i: int, j: int) -> float:
        scanned.append(j)
        r = float(problem.head.offset)
        return monotonic_energy(1.0, r, *_weights(problem.head), memory[j], queries[i])

    def chunk(i: int, k: int) -> float:
        weighed.append(k)
        return additive_energy(*_weights(problem.chunk), memory[k], queries[i])

    contexts, stops = algorithm_1(memory, len(queries), chunk_size, head, chunk)
    return Outputs(contexts, stops, len(scanned), len(weighed))


def _weights(energy: Any) -> tuple[Array, Array, Array, Array]:
    """v, W_h, W_s, b."""
    return (
        energy.direction.astype(float),
        energy.memory_weights.T.astype(float),
        energy.query_weights.T.astype(float),
        energy.bias.astype(float),
    )
