"""Softmax over the w entries up to where the head stops; see ``reference.py``."""

import numpy as np
import torch
from jaxtyping import Float
from numba import carray
from torch import Tensor

from mocha_lightning.attention.kernels.checks import refuse_chunks
from mocha_lightning.attention.kernels.compiled.exponential import (
    exponentials,
)
from mocha_lightning.attention.kernels.compiled.native import native
from mocha_lightning.attention.kernels.compiled.windows import (
    chunkwise_backward_by_chunk,
    chunkwise_by_chunk,
    count,
    finite,
    inverse_sums,
    multiply,
    window_sums,
)


def chunkwise(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"], chunk_size: int
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    beta = torch.empty_like(alpha)
    given = alpha.data_ptr(), energies.data_ptr()
    if _chunkwise(*alpha.shape, chunk_size, *given, beta.data_ptr()):
        refuse_chunks(alpha, energies)
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


@native(integers=3, pointers=3)
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
        wrong += unknown > 0 or not finite(a)
        if lost:
            chunkwise_by_chunk(a, u, chunk_size, b)
            continue
        inverse_sums(x, chunk_size, inverse, one[:time], other[:time])
        multiply(a, inverse, ratio[:time])
        window_sums(ratio, chunk_size, spread, one, other)
        multiply(x, within, b)
    return wrong


@native(integers=3, pointers=5)
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
