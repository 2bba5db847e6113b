"""Softmaxes over all entries up to each, for Numba to compile into a backend.

Arrays are single sequences; see ``reference.py`` for what is computed. With M_j the largest energy
so far, ``carry``_j = e^(M_{j-1} - M_j) and ``weight``_j = e^(u_j - M_j). One of the two is 1, so
that each entry takes one exponential. Sums and products are in float64.
"""

import numpy as np
import torch
from jaxtyping import Float
from numba import carray
from numba.extending import register_jitable
from torch import Tensor

from mocha_lightning.attention.kernels.checks import refuse_chunks
from mocha_lightning.attention.kernels.compiled.exponential import exp, vectorised
from mocha_lightning.attention.kernels.compiled.native import native
from mocha_lightning.attention.kernels.compiled.windows import finite

LOWEST = np.finfo(np.float32).min
"""The maximum of no entry at all: -inf less itself would be NaN."""


@vectorised
def carry_and_weight(gap):
    """Both numbers, from u_j - M_{j-1}; NaN where that is."""
    fallen = exp(-abs(gap))
    one = np.float32(1.0)
    return (fallen, one) if gap > 0 else (one, fallen)


@register_jitable
def running_maximum(energies, gap):
    """Set ``gap``_j = u_j - M_{j-1}; give the last M."""
    peak = LOWEST
    for j in range(len(energies)):
        gap[j] = energies[j] - peak
        if energies[j] > peak:
            peak = energies[j]
    return peak


@vectorised
def carries_and_weights(gap, carry, weight):
    """Set both numbers of each entry."""
    for j in range(len(gap)):
        carry[j], weight[j] = carry_and_weight(gap[j])


@register_jitable(error_model="numpy", fastmath={"contract"})
def lookback_of_row(alpha, carry, weight, share, beta):
    """Set beta; give the last sum of weights. ``share`` is room for a sequence in float64."""
    total = 0.0
    for k in range(len(alpha)):
        total = carry[k] * total + weight[k]
        share[k] = alpha[k] / total if total != 0 else 0.0
    later, following = 0.0, 0.0
    for j in range(len(alpha) - 1, -1, -1):
        later = following * later + share[j]
        beta[j] = weight[j] * later
        following = carry[j]
    return total


@register_jitable(error_model="numpy", fastmath={"contract"})
def lookback_backward_of_row(alpha, carry, weight, share, grad, by_alpha, by_energy):
    """Set both gradients. ``share`` is as before.

    By alpha_k it is the mean of ``grad`` under the softmax up to k, which is also what that
    softmax's own gradient subtracts.
    """
    total, given = 0.0, 0.0
    for k in range(len(alpha)):
        total = carry[k] * total + weight[k]
        given = carry[k] * given + weight[k] * np.float64(grad[k])
        inverse = 1.0 / total if total != 0 else 0.0
        share[k] = alpha[k] * inverse
        by_alpha[k] = given * inverse
    later, later_means, following = 0.0, 0.0, 0.0
    for j in range(len(alpha) - 1, -1, -1):
        later = following * later + share[j]
        later_means = following * later_means + share[j] * by_alpha[j]
        by_energy[j] = weight[j] * (grad[j] * later - later_means)
        following = carry[j]


def lookback(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"]
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    beta = torch.empty_like(alpha)
    if _lookback(*alpha.shape, alpha.data_ptr(), energies.data_ptr(), beta.data_ptr()):
        refuse_chunks(alpha, energies)
    return beta


def lookback_backward(
    alpha: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    by_alpha, by_energy = torch.empty_like(alpha), torch.empty_like(alpha)
    given = alpha.data_ptr(), energies.data_ptr(), grad.data_ptr()
    _lookback_backward(*alpha.shape, *given, by_alpha.data_ptr(), by_energy.data_ptr())
    return by_alpha, by_energy


@native(integers=2, pointers=3)
def _lookback(rows, time, alpha, energies, beta):
    gap, share = np.empty(time, np.float32), np.empty(time)
    carry, weight = np.empty_like(gap), np.empty_like(gap)
    wrong = 0
    for start in range(0, rows * time, time):
        a = carray(alpha, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        b = carray(beta, rows * time)[start : start + time]
        peak = running_maximum(u, gap)
        carries_and_weights(gap, carry, weight)
        total = lookback_of_row(a, carry, weight, share, b)
        # A comparison with NaN is false.
        wrong += not (total >= 0.0 and peak < np.inf and finite(a))
    return wrong


@native(integers=2, pointers=5)
def _lookback_backward(rows, time, alpha, energies, grad, by_alpha, by_energy):
    gap, share = np.empty(time, np.float32), np.empty(time)
    carry, weight = np.empty_like(gap), np.empty_like(gap)
    for start in range(0, rows * time, time):
        a = carray(alpha, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        g = carray(grad, rows * time)[start : start + time]
        by_a = carray(by_alpha, rows * time)[start : start + time]
        by_u = carray(by_energy, rows * time)[start : start + time]
        running_maximum(u, gap)
        carries_and_weights(gap, carry, weight)
        lookback_backward_of_row(a, carry, weight, share, g, by_a, by_u)
    return 0
