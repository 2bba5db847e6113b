"""Soft attention within windows, output by output. Indices count from 0."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def within(energies: Array, first: int, last: int) -> Array:
    """Softmax over the entries first..last that exist."""
    inside = [j for j in range(first, last + 1) if 0 <= j < len(energies)]
    weights = np.zeros(len(energies))
    for j in inside:
        weights[j] = math.exp(energies[j]) / sum(math.exp(energies[k]) for k in inside)
    return weights


def windowed(energies: Array, width: int, centre: str) -> list[Array]:
    """Windows that follow the last output's maximum or median; ``energies`` (outputs, time)."""
    middle, found = 0, []
    for row in energies:
        half = width // 2
        weights = within(row, middle - half, middle - half + width - 1)
        found.append(weights)
        if centre == "maximum":
            middle = max(range(len(row)), key=lambda j: weights[j])
        else:
            middle = next(j for j in range(len(row)) if sum(weights[: j + 1]) >= 0.5)
    return found


def local_monotonic(energies: Array, entries_per_output: float, half_width: int) -> list[Array]:
    """Windows along the diagonal."""
    found = []
    for i, row in enumerate(energies, start=1):
        middle = math.floor(entries_per_output * (i - 0.5))
        found.append(within(row, middle - half_width, middle + half_width))
    return found
