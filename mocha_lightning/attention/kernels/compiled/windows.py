"""Sums and softmaxes over sliding windows, for Numba to compile into a backend.

Arrays are single sequences; ``size`` is w, the window's width, at most their length.
"""

import numpy as np
from numba.extending import register_jitable

from mocha_lightning.attention.kernels.compiled.exponential import vectorised

SMALLEST = np.float32(1e-15)
"""An entry's share of its row's largest exponential below which float32 sums lose digits."""


@vectorised
def window_sums(values, size, sums, one, other):
    """sums_k = values_k + ... + values_{k-size+1}: windows of 1, 2, 4, ... put together.

    Sums alone, so nothing cancels that was not of either sign to begin with. ``one`` and ``other``
    are room for the windows of 2, 4, ...
    """
    count = len(values)
    windows, width, covered = values, 1, 0
    power_of_2 = size & (size - 1) == 0
    while True:
        if size & width and covered:
            _add(windows[: count - covered], sums[covered:])
        elif size & width and (size == 1 or not power_of_2):
            sums[:] = windows
        covered += size & width
        if 2 * width > size:
            return
        # The last windows of a power of 2 are the sums.
        wider = sums if power_of_2 and 2 * width == size else one
        wider[:width] = windows[:width]
        _sum(windows[width:], windows[: count - width], wider[width:])
        windows, one, other = wider, other, one
        width *= 2


@vectorised
def _sum(one, other, both):
    for k in range(len(both)):
        both[k] = one[k] + other[k]


@vectorised
def _add(values, sums):
    for k in range(len(sums)):
        sums[k] += values[k]


@vectorised
def inverse_sums(exponentials, size, inverse, one, other):
    """One over each chunk's sum; 0 for a chunk that holds nothing."""
    window_sums(exponentials, size, inverse, one, other)
    for k in range(len(exponentials)):
        inverse[k] = np.float32(1.0) / inverse[k] if inverse[k] > 0 else np.float32(0.0)


@vectorised
def count(energies, exponentials):
    """Count energies so far below the largest that their exponentials are lost, and NaNs."""
    lost, unknown = 0, 0
    for j in range(len(energies)):
        lost += (exponentials[j] < SMALLEST) & (energies[j] > -np.inf)
        unknown += exponentials[j] != exponentials[j]
    return lost, unknown


@register_jitable
def chunk_weights(energies, first, last, weights):
    """The softmax over the entries first to last, less their own maximum."""
    peak = -np.inf
    for j in range(first, last + 1):
        peak = max(peak, energies[j])
    total = 0.0
    for j in range(first, last + 1):
        weights[j - first] = np.exp(energies[j] - peak) if energies[j] > -np.inf else 0.0
        total += weights[j - first]
    for j in range(first, last + 1):
        weights[j - first] /= total if total > 0 else 1.0


@register_jitable
def chunkwise_by_chunk(alpha, energies, size, beta):
    """Set beta with each chunk's softmax less its own maximum: for energies far apart."""
    weights, found = np.empty(size), np.zeros(len(alpha))
    for k in range(len(alpha)):
        first = max(0, k - size + 1)
        chunk_weights(energies, first, k, weights)
        for j in range(first, k + 1):
            found[j] += alpha[k] * weights[j - first]
    beta[:] = found


@register_jitable
def chunkwise_backward_by_chunk(alpha, energies, size, grad, by_alpha, by_energy):
    """Set both gradients in the same way."""
    weights, found = np.empty(size), np.zeros(len(alpha))
    for k in range(len(alpha)):
        first = max(0, k - size + 1)
        chunk_weights(energies, first, k, weights)
        mean = 0.0
        for j in range(first, k + 1):
            mean += weights[j - first] * grad[j]
        by_alpha[k] = mean
        for j in range(first, k + 1):
            found[j] += alpha[k] * weights[j - first] * (grad[j] - mean)
    by_energy[:] = found


@vectorised
def multiply(one, other, product):
    """product_k = one_k other_k."""
    for k in range(len(product)):
        product[k] = one[k] * other[k]


@register_jitable(fastmath={"reassoc"})
def finite(values):
    """Whether all values are: their sum, in any order, is not."""
    total = np.float32(0.0)
    for j in range(len(values)):
        total += values[j]
    return abs(total) < np.inf
