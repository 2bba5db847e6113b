"""Softmax from where the head last stopped to where it stops now; see ``reference.py``."""

import numpy as np
import torch
from jaxtyping import Float
from numba import carray
from torch import Tensor

from mocha_lightning.attention.kernels.checks import ROUNDING, refuse_chunks, refuse_scan
from mocha_lightning.attention.kernels.compiled.exponential import (
    sigmoids,
    vectorised,
)
from mocha_lightning.attention.kernels.compiled.monotonic import total_and_negative
from mocha_lightning.attention.kernels.compiled.native import native
from mocha_lightning.attention.kernels.compiled.starts import (
    KEPT,
    STARTS,
    STATE,
    add_beta,
    add_gradients,
    from_starts,
)


def adaptive(
    logits: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    previous: Float[Tensor, "rows time"],
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``; takes O(time) memory."""
    beta = torch.empty_like(logits)
    given = logits.data_ptr(), energies.data_ptr(), previous.data_ptr()
    if _adaptive(*logits.shape, *given, beta.data_ptr()):
        refuse_scan(logits, previous)
        refuse_chunks(previous, energies)
    return beta


def adaptive_backward(
    logits: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    previous: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``; takes O(time) memory."""
    by_logit, by_energy = torch.empty_like(logits), torch.empty_like(logits)
    by_previous = torch.empty_like(logits)
    given = logits.data_ptr(), energies.data_ptr(), previous.data_ptr(), grad.data_ptr()
    found = by_logit.data_ptr(), by_energy.data_ptr(), by_previous.data_ptr()
    _adaptive_backward(*logits.shape, *given, *found)
    return by_logit, by_energy, by_previous


@vectorised
def _unknown(logits, energies):
    unknown = 0
    for j in range(len(logits)):
        unknown += (logits[j] != logits[j]) | ~(energies[j] < np.inf)
    return unknown


@native(integers=2, pointers=4)
def _adaptive(rows, time, logits, energies, previous, beta):
    select, nothing = np.empty(time, np.float32), np.zeros(time, np.float32)
    state, kept, found = np.empty(STATE), np.empty((time, KEPT), np.float32), np.empty(time)
    wrong = 0
    for start in range(0, rows * time, time):
        e = carray(logits, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        v = carray(previous, rows * time)[start : start + time]
        total, negative = total_and_negative(v)
        distribution = total <= 1.0 + ROUNDING and negative == 0
        wrong += not (distribution and _unknown(e, u) == 0)
        sigmoids(e, select)
        found[:] = 0.0
        for first in range(0, time, STARTS):
            from_starts(first, select, u, v, nothing, state, kept)
            add_beta(first, state, kept, found)
        carray(beta, rows * time)[start : start + time] = found
    return wrong


@native(integers=2, pointers=7)
def _adaptive_backward(
    rows, time, logits, energies, previous, grad, by_logit, by_energy, by_previous
):
    select = np.empty(time, np.float32)
    state, kept = np.empty(STATE), np.empty((time, KEPT), np.float32)
    by_e, by_u = np.empty(time), np.empty(time)
    for start in range(0, rows * time, time):
        u = carray(energies, rows * time)[start : start + time]
        v = carray(previous, rows * time)[start : start + time]
        g = carray(grad, rows * time)[start : start + time]
        by_v = carray(by_previous, rows * time)[start : start + time]
        sigmoids(carray(logits, rows * time)[start : start + time], select)
        by_e[:] = by_u[:] = 0.0
        for first in range(0, time, STARTS):
            from_starts(first, select, u, v, g, state, kept)
            add_gradients(first, select, g, state, kept, by_e, by_u, by_v)
        carray(by_logit, rows * time)[start : start + time] = by_e
        carray(by_energy, rows * time)[start : start + time] = by_u
    return 0
