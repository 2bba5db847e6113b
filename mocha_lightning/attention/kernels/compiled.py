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
from torch import Tensor

from mocha_lightning.attention.kernels.checks import ROUNDING, refuse_energies, refuse_scan
from mocha_lightning.attention.kernels.keeping import kept_by_content
from mocha_lightning.attention.kernels.vectors import LANES, backward_block, forward_block
from mocha_lightning.attention.kernels.windows import (
    chunkwise_backward_by_chunk,
    chunkwise_by_chunk,
    count,
    inverse_sums,
    window_sums,
)


def monotonic(
    select: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    alpha = torch.empty_like(select)
    if _monotonic(*select.shape, select.data_ptr(), previous.data_ptr(), alpha.data_ptr()):
        refuse_scan(select, previous)
    return alpha


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
    beta, exponentials = torch.empty_like(alpha), _exponentials(energies)
    given = alpha.data_ptr(), energies.data_ptr(), exponentials.data_ptr()
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
    exponentials = _exponentials(energies)
    given = alpha.data_ptr(), energies.data_ptr(), exponentials.data_ptr(), grad.data_ptr()
    found = by_alpha.data_ptr(), by_energy.data_ptr()
    _chunkwise_backward(*alpha.shape, chunk_size, *given, *found)
    return by_alpha, by_energy


def tanh_energy_backward(
    hidden: Float[Tensor, "rows time dim"],
    direction: Float[Tensor, " dim"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time dim"], Float[Tensor, "rows dim"], Float[Tensor, " dim"]]:
    """See ``reference.py``."""
    rows, _, dim = hidden.shape
    by_projected = torch.empty_like(hidden)
    by_shift, by_direction = hidden.new_zeros(rows, dim), hidden.new_zeros(dim)
    given = hidden.data_ptr(), direction.data_ptr(), grad.data_ptr()
    found = by_projected.data_ptr(), by_shift.data_ptr(), by_direction.data_ptr()
    _tanh_energy_backward(*hidden.shape, *given, *found)
    return by_projected, by_shift, by_direction


def _exponentials(energies: Float[Tensor, "rows time"]) -> Float[Tensor, "rows time"]:
    """exp(u_j - max u) of each row; of a row of -inf alone, zeros."""
    peak = energies.amax(1, keepdim=True).clamp_min_(torch.finfo(energies.dtype).min)
    return torch.sub(energies, peak).exp_()


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


@_native(integers=2, pointers=3)
def _monotonic(rows, time, select, previous, alpha):
    p = carray(select, rows * time)
    v = carray(previous, rows * time)
    a = carray(alpha, rows * time)
    whole = time - time % LANES
    wrong = 0
    for start in range(0, rows * time, time):
        left = 0.0
        for j in range(start, start + whole, LANES):
            left = forward_block(select, previous, alpha, j, left)
        for j in range(start + whole, start + time):
            reach = left + v[j]
            a[j] = p[j] * reach
            left = (1.0 - np.float64(p[j])) * reach
        total, least = 0.0, np.float32(0.0)
        for j in range(start, start + time):
            total += v[j]
            least = min(least, v[j])
        # A comparison with NaN is false; what is NaN anywhere is NaN in what is left.
        wrong += not (left >= 0.0 and total <= 1.0 + ROUNDING and least >= 0.0)
    return wrong


@_native(integers=2, pointers=5)
def _monotonic_backward(rows, time, select, alpha, grad, by_logit, by_previous):
    p = carray(select, rows * time)
    a = carray(alpha, rows * time)
    g = carray(grad, rows * time)
    by_e = carray(by_logit, rows * time)
    by_v = carray(by_previous, rows * time)
    whole = time - time % LANES
    for start in range(0, rows * time, time):
        following = 0.0
        for j in range(start + time - 1, start + whole - 1, -1):
            skip = 1.0 - np.float64(p[j])
            by_e[j] = a[j] * skip * (g[j] - following)
            following = p[j] * np.float64(g[j]) + skip * following
            by_v[j] = following
        for j in range(start + whole - LANES, start - 1, -LANES):
            following = backward_block(select, alpha, grad, by_logit, by_previous, j, following)
    return 0


@_native(integers=3, pointers=4)
def _chunkwise(rows, time, chunk_size, alpha, energies, exponentials, beta):
    ratio = np.zeros(time + chunk_size - 1, np.float32)
    spread, power = np.empty_like(ratio), np.empty_like(ratio)
    inverse = np.empty(time, np.float32)
    wrong = 0
    for start in range(0, rows * time, time):
        a = carray(alpha, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        x = carray(exponentials, rows * time)[start : start + time]
        b = carray(beta, rows * time)[start : start + time]
        lost, unknown = count(u, x)
        wrong += unknown > 0
        if lost:
            chunkwise_by_chunk(a, u, chunk_size, b)
            continue
        inverse_sums(x, chunk_size, inverse, power)
        for k in range(time):
            ratio[k] = a[k] * inverse[k]
        window_sums(ratio, chunk_size, spread, power)
        within = spread[chunk_size - 1 :]
        for j in range(time):
            b[j] = x[j] * within[j]
    return wrong


@_native(integers=3, pointers=6)
def _chunkwise_backward(
    rows, time, chunk_size, alpha, energies, exponentials, grad, by_alpha, by_energy
):
    ratio = np.zeros(time + chunk_size - 1, np.float32)
    spread, power = np.empty_like(ratio), np.empty_like(ratio)
    product, inverse = np.empty(time, np.float32), np.empty(time, np.float32)
    for start in range(0, rows * time, time):
        a = carray(alpha, rows * time)[start : start + time]
        u = carray(energies, rows * time)[start : start + time]
        x = carray(exponentials, rows * time)[start : start + time]
        g = carray(grad, rows * time)[start : start + time]
        by_a = carray(by_alpha, rows * time)[start : start + time]
        by_u = carray(by_energy, rows * time)[start : start + time]
        if count(u, x)[0]:
            chunkwise_backward_by_chunk(a, u, chunk_size, g, by_a, by_u)
            continue
        inverse_sums(x, chunk_size, inverse, power)
        for j in range(time):
            product[j] = x[j] * g[j]
        window_sums(product, chunk_size, by_a, power)
        for k in range(time):
            by_a[k] *= inverse[k]
            ratio[k] = a[k] * inverse[k]
        window_sums(ratio, chunk_size, spread, power)
        within = spread[chunk_size - 1 :]
        for j in range(time):
            by_u[j] = product[j] * within[j]
        for k in range(time):
            ratio[k] *= by_a[k]
        window_sums(ratio, chunk_size, spread, power)
        for j in range(time):
            by_u[j] -= x[j] * within[j]
    return 0


@_native(integers=3, pointers=6)
def _tanh_energy_backward(
    rows, time, dim, hidden, direction, grad, by_projected, by_shift, by_direction
):
    v, by_v = carray(direction, dim), carray(by_direction, dim)
    for row in range(rows):
        by_s = carray(by_shift, rows * dim)[row * dim : (row + 1) * dim]
        for entry in range(row * time, (row + 1) * time):
            given = carray(grad, rows * time)[entry]
            h = carray(hidden, rows * time * dim)[entry * dim : (entry + 1) * dim]
            by_k = carray(by_projected, rows * time * dim)[entry * dim : (entry + 1) * dim]
            for c in range(dim):
                slope = given * v[c] * (np.float32(1.0) - h[c] * h[c])
                by_k[c] = slope
                by_s[c] += slope
                by_v[c] += given * h[c]
    return 0
