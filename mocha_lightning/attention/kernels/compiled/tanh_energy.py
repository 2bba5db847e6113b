"""An energy and its gradient, each in one pass over the keys; see ``reference.py``."""

import numpy as np
import torch
from jaxtyping import Float
from numba import carray
from numba.extending import register_jitable
from torch import Tensor

from mocha_lightning.attention.kernels.compiled.exponential import (
    tanh,
    vectorised,
)
from mocha_lightning.attention.kernels.compiled.native import native

SUMMED = 64
"""Entries whose gradients are summed in float32, before those sums are in float64."""


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
    by_shift, by_direction = torch.empty_like(shift), torch.empty_like(direction)
    given = projected.data_ptr(), shift.data_ptr(), direction.data_ptr(), grad.data_ptr()
    found = by_projected.data_ptr(), by_shift.data_ptr(), by_direction.data_ptr()
    _tanh_energy_backward(*projected.shape, *given, *found)
    return by_projected, by_shift, by_direction


@register_jitable(error_model="numpy", fastmath={"contract", "reassoc"})
def _energy(key, shift, direction):
    total = np.float32(0.0)
    for c in range(len(key)):
        total += direction[c] * tanh(key[c] + shift[c])
    return total


@native(integers=3, pointers=4)
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


@native(integers=3, pointers=7)
def _tanh_energy_backward(
    rows, time, dim, projected, shift, direction, grad, by_projected, by_shift, by_direction
):
    v = carray(direction, dim)
    of_s, of_v = np.empty(dim, np.float32), np.empty(dim, np.float32)
    all_s, all_v = np.zeros((rows, dim)), np.zeros(dim)
    g = carray(grad, rows * time)
    for row in range(rows):
        s = carray(shift, rows * dim)[row * dim : (row + 1) * dim]
        for first in range(row * time, (row + 1) * time, SUMMED):
            of_s[:] = of_v[:] = 0.0
            for entry in range(first, min(first + SUMMED, (row + 1) * time)):
                k = carray(projected, rows * time * dim)[entry * dim : (entry + 1) * dim]
                by_k = carray(by_projected, rows * time * dim)[entry * dim : (entry + 1) * dim]
                _energy_gradient(k, s, v, g[entry], by_k, of_s, of_v)
            for c in range(dim):
                all_s[row, c] += of_s[c]
                all_v[c] += of_v[c]
    for row in range(rows):
        carray(by_shift, rows * dim)[row * dim : (row + 1) * dim] = all_s[row]
    carray(by_direction, dim)[:] = all_v
    return 0
