"""MAtChA's chunks by where they start, for Numba to compile into a backend.

Arrays are single sequences; see ``reference.py`` for what is computed, and ``lookback.py`` for
``carry`` and ``weight``. ``STARTS`` starts are followed through the sequence together, each in
its lane of the vector registers, where none waits for another. What the way back needs is kept
for these starts alone. Sums and products are in float64.

A compiler makes vectors of a loop only where it sees that no two arrays overlap, which it does
not of many: hence the one array ``state``, of what is carried from entry to entry, and the one
array ``kept``, with a row for each entry.
"""

import numpy as np
from numba.extending import register_jitable

from mocha_lightning.attention.kernels.compiled.exponential import vectorised
from mocha_lightning.attention.kernels.compiled.lookback import LOWEST, carry_and_weight

STARTS = 32
PEAK, REACH, TOTAL, GIVEN = range(0, 4 * STARTS, STARTS)
"""Forward: the largest energy so far, what reaches the entry, and the sums of weights and of
weights times ``grad``."""
LATER, LATER_MEANS, FOLLOWING = range(0, 3 * STARTS, STARTS)
"""Backward: sums of shares and of shares times means, and the gradient by what enters."""
STATE = 4 * STARTS
CARRY, WEIGHT, STOP, SHARE, MEAN = range(0, 5 * STARTS, STARTS)
"""Of each entry: both factors, the probability of a stop, that over the sum of weights, and the
mean of ``grad`` under the softmax from the start up to here."""
KEPT = 5 * STARTS


@register_jitable
def from_starts(first, select, energies, previous, grad, state, kept):
    """Follow the starts from ``first`` on to the end."""
    state[PEAK:REACH] = LOWEST
    state[REACH:] = 0.0
    for j in range(first, len(energies)):
        start = j - first
        if start < STARTS:
            state[PEAK + start] = LOWEST
            state[REACH + start] = previous[j]
            state[TOTAL + start] = state[GIVEN + start] = 0.0
        _advance(energies[j], np.float64(select[j]), np.float64(grad[j]), state, kept[j])
        if start < STARTS:
            kept[j, CARRY + start] = 0.0  # what is before is none of this start's


@vectorised
def _advance(energy, select, grad, state, kept):
    for k in range(STARTS):
        peak = np.float32(state[PEAK + k])
        carry, weight = carry_and_weight(energy - peak)
        state[PEAK + k] = peak if peak > energy else energy
        total = carry * state[TOTAL + k] + weight
        given = carry * state[GIVEN + k] + weight * grad
        stop = select * state[REACH + k]
        inverse = 1.0 / total if total > 0 else 0.0
        state[TOTAL + k], state[GIVEN + k] = total, given
        state[REACH + k] *= 1.0 - select
        kept[CARRY + k], kept[WEIGHT + k], kept[STOP + k] = carry, weight, stop
        kept[SHARE + k], kept[MEAN + k] = stop * inverse, given * inverse


@register_jitable
def add_beta(first, state, kept, beta):
    """Add what the followed starts attend to."""
    state[:] = 0.0
    for j in range(len(beta) - 1, first - 1, -1):
        beta[j] += _beta(state, kept[j])


@register_jitable(error_model="numpy", fastmath={"contract", "reassoc"})
def _beta(state, kept):
    found = 0.0
    for k in range(STARTS):
        later = state[LATER + k] + kept[SHARE + k]
        found += kept[WEIGHT + k] * later
        state[LATER + k] = kept[CARRY + k] * later
    return found


@register_jitable
def add_gradients(first, select, grad, state, kept, by_logit, by_energy, by_previous):
    """Add the gradients of what the followed starts attend to; set those by ``previous``."""
    state[:] = 0.0
    for j in range(len(select) - 1, first - 1, -1):
        gradients = _gradients(np.float64(select[j]), np.float64(grad[j]), state, kept[j])
        by_logit[j] += gradients[0]
        by_energy[j] += gradients[1]
        if j - first < STARTS:
            by_previous[j] = state[FOLLOWING + j - first]


@register_jitable(error_model="numpy", fastmath={"contract", "reassoc"})
def _gradients(select, grad, state, kept):
    by_logit, by_energy = 0.0, 0.0
    for k in range(STARTS):
        share, mean = np.float64(kept[SHARE + k]), np.float64(kept[MEAN + k])
        later, later_means = state[LATER + k] + share, state[LATER_MEANS + k] + share * mean
        by_energy += kept[WEIGHT + k] * (grad * later - later_means)
        state[LATER + k] = kept[CARRY + k] * later
        state[LATER_MEANS + k] = kept[CARRY + k] * later_means
        following = state[FOLLOWING + k]
        by_logit += kept[STOP + k] * (mean - following)
        state[FOLLOWING + k] = select * mean + (1.0 - select) * following
    return by_logit * (1.0 - select), by_energy
