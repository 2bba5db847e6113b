"""Sums and softmaxes over sliding windows, for Numba to compile into a backend.

Arrays are single sequences; ``size`` is w, the window's width, at most their length.
"""

import numpy as np
from numba.extending import register_jitable

SMALLEST = 1e-30
"""An entry's share of its row's largest exponential below which float32 sums lose digits."""


@register_jitable
def window_sums(values, size, sums, power):
    """sums_k = values_k + ... + values_{k-size+1}: windows of 1, 2, 4, ... put together.

    Sums alone, so nothing cancels that was not of either sign to begin with.
    """
    count = len(values)
    power[:count] = values
    width, covered = 1, 0
    started = False
    while True:
        if size & width:
            if started:
                for k in range(count - covered):
                    sums[covered + k] += power[k]
            else:
                sums[:count] = power[:count]
                started = True
            covered += width
        if 2 * width > size:
            return
        for k in range(count - 1, width - 1, -1):
            power[k] += power[k - width]
        width *= 2


@register_jitable
def inverse_sums(exponentials, size, inverse, power):
    """One over each chunk's sum; 0 for a chunk that holds nothing."""
    window_sums(exponentials, size, inverse, power)
    for k in range(len(exponentials)):
        inverse[k] = np.float32(1.0) / inverse[k] if inverse[k] > 0 else np.float32(0.0)


@register_jitable
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
