"""The functions of a backend for float32 on a CPU, compiled by Numba when first imported.

Numba brings its compiler in a wheel, so nothing need be installed beside it; what it has compiled
is kept on disk. The recurrence runs eight entries at a time in vector registers, in float64: each
1 - p then has every digit, and no mass is lost or made over the longest memories.
"""

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64, c_void_p
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float
from numba import carray, cfunc, types
from numba.extending import register_jitable
from torch import Tensor

from mocha_lightning.attention.kernels.checks import ROUNDING, refuse_energies, refuse_scan
from mocha_lightning.attention.kernels.exponential import exponentials, sigmoids, tanh, vectorised
from mocha_lightning.attention.kernels.keeping import kept_by_content
from mocha_lightning.attention.kernels.lookback import (
    carries_and_weights,
    lookback_backward_of_row,
    lookback_of_row,
    running_maximum,
)
from mocha_lightning.attention.kernels.starts import (
    KEPT,
    STARTS,
    STATE,
    add_beta,
    add_gradients,
    from_starts,
)
from mocha_lightning.attention.kernels.vectors import (
    LANES,
    WIDE,
    backward,
    backward_wide,
    forward,
    forward_wide,
)
from mocha_lightning.attention.kernels.windows import (
    chunkwise_backward_by_chunk,
    chunkwise_by_chunk,
    count,
    inverse_sums,
    multiply,
    window_sums,
)


def monotonic(
    logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    alpha, select = torch.empty_like(logits), torch.empty_like(logits)
    given = logits.data_ptr(), previous.data_ptr()
    if _monotonic(*logits.shape, *given, alpha.data_ptr(), select.data_ptr()):
        refuse_scan(logits, previous)
    return alpha, select


def monotonic_backward(
    select: Float[Tensor, "rows time"],
    alpha: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    by_logit, by_previous = torch.empty_like(select), torch.empty_like(select)
    given = select.data_ptr(), alpha.data_ptr(), grad.data_ptr()
    _monotonic_backward(*select.shape, *given, by_logit.data_ptr(), by_previous.data_ptr())
    return by_logit, by_previous


def chunkwise(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"], chunk_size: int
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    beta = torch.empty_like(alpha)
    given = alpha.data_ptr(), energies.data_ptr()
    if _chunkwise(*alpha.shape, chunk_size, *given, beta.data_ptr()):
        refuse_energies(energies)
    return beta


def chunkwise_backward(
    alpha: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    chunk_size: int,
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    by_alpha, by_energy = torch.empty_like(alpha), torch.empty_like(alpha)
    given = alpha.data_ptr(), energies.data_ptr(), grad.data_ptr()
    found = by_alpha.data_ptr(), by_energy.data_ptr()
    _chunkwise_backward(*alpha.shape, chunk_size, *given, *found)
    return by_alpha, by_energy


def lookback(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"]
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    beta = torch.empty_like(alpha)
    if _lookback(*alpha.shape, alpha.data_ptr(), energies.data_ptr(), beta.data_ptr()):
        refuse_energies(energies)
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
        refuse_energies(energies)
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


def tanh_energy(
    projected: Float[Tensor, "rows time dim"],
    shift: Float[Tensor, "rows dim"],
    direction: Float[Tensor, " dim"],
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    energies = torch.empty_like(projected[..., 0])
    given = projected.data_ptr(), shift.data_ptr(), direction.data_ptr()
    _tanh_energy(*projected.shape, *given, energies.data_ptr())
    return energies


def tanh_energy_backward(
    projected: Float[Tensor, "rows time dim"],
    shift: Float[Tensor, "rows dim"],
    direction: Float[Tensor, " dim"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time dim"], Float[Tensor, "rows dim"], Float[Tensor, " dim"]]:
    """See ``reference.py``."""
    by_projected = torch.empty_like(projected)
    by_shift, by_direction = torch.zeros_like(shift), torch.zeros_like(direction)
    given = projected.data_ptr(), shift.data_ptr(), direction.data_ptr(), grad.data_ptr()
    found = by_projected.data_ptr(), by_shift.data_ptr(), by_direction.data_ptr()
    _tanh_energy_backward(*projected.shape, *given, *found)
    return by_projected, by_shift, by_direction


Function = Callable[..., int]


def _native(integers: int, pointers: int) -> Callable[[Function], Function]:
    """Compile a function of so many int64 and then so many pointers to float32.

    What it gives is called with addresses, at a tenth of what Numba's own call costs. It returns
    the number of rows that it could make nothing of.
    """

    def compiled_function(function: Function) -> Function:
        arguments = [*[types.int64] * integers, *[types.CPointer(types.float32)] * pointers]
        with kept_by_content(Path(__file__).parent) as kept:
            compiled: Any = cfunc(types.int64(*arguments), cache=kept)(function)
        prototype = CFUNCTYPE(c_int64, *[c_int64] * integers, *[c_void_p] * pointers)
        native: Any = prototype(compiled.address)
        native.keeps_alive = compiled
        return cast(Function, native)

    return compiled_function


@register_jitable(fastmath={"reassoc"})
def _total_and_negative(values):
    total, negative = np.float32(0.0), np.float32(0.0)
    for j in range(len(values)):
        total += values[j]
        negative += np.float32(values[j] < 0)
    return total, negative


@_native(integers=2, pointers=4)
def _monotonic(rows, time, logits, previous, alpha, select):
    wide = time // WIDE
    narrow = (time - wide * WIDE) // LANES
    blocks = wide * WIDE + narrow * LANES
    wrong = 0
    for start in range(0, rows * time, time):
        e = carray(logits, rows * time)[start : start + time]
        v = carray(previous, rows * time)[start : start + time]
        a = carray(alpha, rows * time)[start : start + time]
        p = carray(select, rows * time)[start : start + time]
        sigmoids(e, p)
        total, negative = _total_and_negative(v)
        left = forward_wide(select, previous, alpha, start, wide, 0.0)
        left = forward(select, previous, alpha, start + wide * WIDE, narrow, left)
        for j in range(blocks, time):
            reach = left + v[j]
            a[j] = p[j] * reach
            left = (1.0 - np.float64(p[j])) * reach
        # A comparison with NaN is false; what is NaN anywhere is NaN in what is left.
        wrong += not (left >= 0.0 and total <= 1.0 + ROUNDING and negative == 0)
    return wrong


@_native(integers=2, pointers=5)
def _monotonic_backward(rows, time, select, alpha, grad, by_logit, by_previous):
    p = carray(select, rows * time)
    a = carray(alpha, rows * time)
    g = carray(grad, rows * time)
    by_e = carray(by_logit, rows * time)
    by_v = carray(by_previous, rows * time)
    given = select, alpha, grad, by_logit, by_previous
    wide = time // WIDE
    narrow = (time - wide * WIDE) // LANES
    blocks = wide * WIDE + narrow * LANES
    for start in range(0, rows * time, time):
        following = 0.0
        for j in range(start + time - 1, start + blocks - 1, -1):
            skip = 1.0 - np.float64(p[j])
            by_e[j] = a[j] * skip * (g[j] - following)
            following = p[j] * np.float64(g[j]) + skip * following
            by_v[j] = following
        following = backward(*given, start + wide * WIDE, narrow, following)
        backward_wide(*given, start, wide, following)
    return 0


@_native(integers=3, pointers=3)
def _chunkwise(rows, time, chunk_size, alpha, energies, beta):
    ratio = np.zeros(time + chunk_size - 1, np.float32)
    spread, one, other = np.empty_like(ratio), np.empty_like(ratio), np.empty_like(ratio)
    within = spread[chunk_size - 1 :]
    x, inverse = np.empty(time, np.float32), np.empty(time, np.float32)
    wrong = 0
    for start in range(0, rows * time, time):
        a = carray(alpha, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        b = carray(beta, rows * time)[start : start + time]
        exponentials(u, x)
        lost, unknown = count(u, x)
        wrong += unknown > 0
        if lost:
            chunkwise_by_chunk(a, u, chunk_size, b)
            continue
        inverse_sums(x, chunk_size, inverse, one[:time], other[:time])
        multiply(a, inverse, ratio[:time])
        window_sums(ratio, chunk_size, spread, one, other)
        multiply(x, within, b)
    return wrong


@_native(integers=3, pointers=5)
def _chunkwise_backward(rows, time, chunk_size, alpha, energies, grad, by_alpha, by_energy):
    ratio = np.zeros(time + chunk_size - 1, np.float32)
    spread, one, other = np.empty_like(ratio), np.empty_like(ratio), np.empty_like(ratio)
    within = spread[chunk_size - 1 :]
    x, inverse = np.empty(time, np.float32), np.empty(time, np.float32)
    product = np.empty(time, np.float32)
    for start in range(0, rows * time, time):
        a = carray(alpha, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        g = carray(grad, rows * time)[start : start + time]
        by_a = carray(by_alpha, rows * time)[start : start + time]
        by_u = carray(by_energy, rows * time)[start : start + time]
        exponentials(u, x)
        if count(u, x)[0]:
            chunkwise_backward_by_chunk(a, u, chunk_size, g, by_a, by_u)
            continue
        inverse_sums(x, chunk_size, inverse, one[:time], other[:time])
        multiply(x, g, product)
        window_sums(product, chunk_size, by_a, one[:time], other[:time])
        for k in range(time):
            by_a[k] *= inverse[k]
            ratio[k] = a[k] * inverse[k]
        window_sums(ratio, chunk_size, spread, one, other)
        multiply(product, within, by_u)
        for k in range(time):
            ratio[k] *= by_a[k]
        window_sums(ratio, chunk_size, spread, one, other)
        for j in range(time):
            by_u[j] -= x[j] * within[j]
    return 0


@_native(integers=2, pointers=3)
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
        wrong += not (total >= 0.0 and peak < np.inf)
    return wrong


@_native(integers=2, pointers=5)
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


@vectorised
def _unknown(logits, energies):
    unknown = 0
    for j in range(len(logits)):
        unknown += (logits[j] != logits[j]) | ~(energies[j] < np.inf)
    return unknown


@_native(integers=2, pointers=4)
def _adaptive(rows, time, logits, energies, previous, beta):
    select, nothing = np.empty(time, np.float32), np.zeros(time, np.float32)
    state, kept, found = np.empty(STATE), np.empty((time, KEPT), np.float32), np.empty(time)
    wrong = 0
    for start in range(0, rows * time, time):
        e = carray(logits, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        v = carray(previous, rows * time)[start : start + time]
        total, negative = _total_and_negative(v)
        distribution = total <= 1.0 + ROUNDING and negative == 0
        wrong += not (distribution and _unknown(e, u) == 0)
        sigmoids(e, select)
        found[:] = 0.0
        for first in range(0, time, STARTS):
            from_starts(first, select, u, v, nothing, state, kept)
            add_beta(first, state, kept, found)
        carray(beta, rows * time)[start : start + time] = found
    return wrong


@_native(integers=2, pointers=7)
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


@register_jitable(error_model="numpy", fastmath={"contract", "reassoc"})
def _energy(key, shift, direction):
    total = np.float32(0.0)
    for c in range(len(key)):
        total += direction[c] * tanh(key[c] + shift[c])
    return total


@_native(integers=3, pointers=4)
def _tanh_energy(rows, time, dim, projected, shift, direction, energies):
    v = carray(direction, dim)
    e = carray(energies, rows * time)
    for row in range(rows):
        s = carray(shift, rows * dim)[row * dim : (row + 1) * dim]
        for entry in range(row * time, (row + 1) * time):
            e[entry] = _energy(
                carray(projected, rows * time * dim)[entry * dim : (entry + 1) * dim], s, v
            )
    return 0


@vectorised
def _energy_gradient(key, shift, direction, grad, by_key, by_shift, by_direction):
    for c in range(len(key)):
        hidden = tanh(key[c] + shift[c])
        slope = grad * direction[c] * (np.float32(1.0) - hidden * hidden)
        by_key[c] = slope
        by_shift[c] += slope
        by_direction[c] += grad * hidden


@_native(integers=3, pointers=7)
def _tanh_energy_backward(
    rows, time, dim, projected, shift, direction, grad, by_projected, by_shift, by_direction
):
    v, by_v = carray(direction, dim), carray(by_direction, dim)
    g = carray(grad, rows * time)
    for row in range(rows):
        s = carray(shift, rows * dim)[row * dim : (row + 1) * dim]
        by_s = carray(by_shift, rows * dim)[row * dim : (row + 1) * dim]
        for entry in range(row * time, (row + 1) * time):
            k = carray(projected, rows * time * dim)[entry * dim : (entry + 1) * dim]
            by_k = carray(by_projected, rows * time * dim)[entry * dim : (entry + 1) * dim]
            _energy_gradient(k, s, v, g[entry], by_k, by_s, by_v)
    return 0
