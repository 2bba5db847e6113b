"""The functions of a backend for float32 on a GPU, written in Triton.

A program goes along one row, a block at a time: within a block the recurrence is a parallel scan
of pairs (factor, drive), in float64, and its last entry is carried to the next block. Windows are
summed entry by entry, each chunk less its own maximum. Lookback, MAtChA's alignment and the energy
are the reference's, in PyTorch. Nothing here waits for the GPU.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.kernels.reference import (
    adaptive,
    adaptive_backward,
    lookback,
    lookback_backward,
    tanh_energy,
    tanh_energy_backward,
)

__all__ = [
    "adaptive",
    "adaptive_backward",
    "chunkwise",
    "chunkwise_backward",
    "lookback",
    "lookback_backward",
    "monotonic",
    "monotonic_backward",
    "tanh_energy",
    "tanh_energy_backward",
]

SCANNED = 1024
"""Entries of one scan."""
SUMMED = 256
"""Windows that one program sums."""


def monotonic(
    logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    select = torch.copysign(torch.sigmoid(-logits.abs()), -logits)
    alpha = torch.empty_like(select)
    rows, time = select.shape
    _monotonic[(rows,)](select, previous, alpha, time, _block(time))
    return alpha, select


def monotonic_backward(
    select: Float[Tensor, "rows time"],
    alpha: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    by_logit, by_previous = torch.empty_like(select), torch.empty_like(select)
    rows, time = select.shape
    given = select, alpha, grad, by_logit, by_previous
    _monotonic_backward[(rows,)](*given, time, _block(time))
    return by_logit, by_previous


def chunkwise(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"], chunk_size: int
) -> Float[Tensor, "rows time"]:
    """See ``reference.py``."""
    beta = torch.empty_like(alpha)
    peak, inverse = _normalisers(energies, chunk_size)
    _chunkwise[_grid(alpha)](alpha, energies, peak, inverse, beta, *_sizes(alpha, chunk_size))
    return beta


def chunkwise_backward(
    alpha: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    chunk_size: int,
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    by_alpha, by_energy = torch.empty_like(alpha), torch.empty_like(alpha)
    peak, inverse = _normalisers(energies, chunk_size)
    sizes, grid = _sizes(alpha, chunk_size), _grid(alpha)
    _by_alpha[grid](energies, peak, inverse, grad, by_alpha, *sizes)
    _by_energy[grid](alpha, energies, peak, inverse, grad, by_alpha, by_energy, *sizes)
    return by_alpha, by_energy


def _normalisers(
    energies: Float[Tensor, "rows time"], chunk_size: int
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """Each chunk's maximum, and one over its sum of exponentials less that."""
    peak, inverse = torch.empty_like(energies), torch.empty_like(energies)
    _normalise[_grid(energies)](energies, peak, inverse, *_sizes(energies, chunk_size))
    return peak, inverse


def _block(time: int) -> int:
    return min(SCANNED, int(triton.next_power_of_2(time)))


def _grid(tensor: Float[Tensor, "rows time"]) -> tuple[int, int]:
    return tensor.shape[0], int(triton.cdiv(tensor.shape[1], SUMMED))


def _sizes(tensor: Float[Tensor, "rows time"], chunk_size: int) -> tuple[int, int, int]:
    return tensor.shape[1], chunk_size, SUMMED


@triton.jit
def _after(factor, drive, next_factor, next_drive):
    """One step of the recurrence after another, as one step."""
    return factor * next_factor, drive * next_factor + next_drive


@triton.jit
def _probability(signed):
    """p, in float64, as ``reference.probabilities`` does."""
    wide = signed.to(tl.float64)
    return tl.where(signed.to(tl.int32, bitcast=True) < 0, 1.0 + wide, wide)


@triton.jit
def _monotonic(select, previous, alpha, time, BLOCK: tl.constexpr):  # noqa: N803 (Triton's way)
    row = tl.program_id(0).to(tl.int64) * time
    lane = tl.arange(0, BLOCK)
    carried = tl.full((), 0.0, tl.float64)
    for start in range(0, time, BLOCK):
        at = start + lane
        inside = at < time
        p = _probability(tl.load(select + row + at, inside, 0.0))
        earlier = inside & (at > 0)
        before = _probability(tl.load(select + row + at - 1, earlier, 0.0))
        before = tl.where(earlier, before, 1.0)
        entering = tl.load(previous + row + at, inside, 0.0).to(tl.float64)
        factor, reach = tl.associative_scan((1.0 - before, entering), 0, _after)
        reach += factor * carried
        tl.store(alpha + row + at, (p * reach).to(tl.float32), inside)
        carried = tl.sum(tl.where(lane == BLOCK - 1, reach, 0.0))


@triton.jit
def _monotonic_backward(
    select,
    alpha,
    grad,
    by_logit,
    by_previous,
    time,
    BLOCK: tl.constexpr,  # noqa: N803
):
    row = tl.program_id(0).to(tl.int64) * time
    lane = tl.arange(0, BLOCK)
    carried = tl.full((), 0.0, tl.float64)
    for start in range(0, time, BLOCK):
        # From the end of the memory; following is g of the entry after this one.
        at = time - 1 - start - lane
        inside = at >= 0
        p = _probability(tl.load(select + row + at, inside, 0.0))
        given = tl.load(grad + row + at, inside, 0.0).to(tl.float64)
        a = tl.load(alpha + row + at, inside, 0.0).to(tl.float64)
        later = inside & (at + 1 < time)
        next_p = tl.where(later, _probability(tl.load(select + row + at + 1, later, 0.0)), 1.0)
        next_given = tl.load(grad + row + at + 1, later, 0.0).to(tl.float64)
        pair = (1.0 - next_p, next_p * next_given)
        factor, following = tl.associative_scan(pair, 0, _after)
        following += factor * carried
        by_e = a * (1.0 - p) * (given - following)
        by_v = p * given + (1.0 - p) * following
        tl.store(by_logit + row + at, by_e.to(tl.float32), inside)
        tl.store(by_previous + row + at, by_v.to(tl.float32), inside)
        carried = tl.sum(tl.where(lane == BLOCK - 1, following, 0.0))


@triton.jit
def _normalise(energies, peak, inverse, time, chunk_size, BLOCK: tl.constexpr):  # noqa: N803
    row = tl.program_id(0).to(tl.int64) * time
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = k < time
    highest = tl.full((BLOCK,), -float("inf"), tl.float32)
    for back in range(0, chunk_size):
        u = tl.load(energies + row + k - back, inside & (k >= back), -float("inf"))
        highest = tl.maximum(highest, u)
    highest = tl.where(highest == -float("inf"), 0.0, highest)
    total = tl.zeros((BLOCK,), tl.float32)
    for back in range(0, chunk_size):
        u = tl.load(energies + row + k - back, inside & (k >= back), -float("inf"))
        total += tl.exp(u - highest)
    tl.store(peak + row + k, highest, inside)
    tl.store(inverse + row + k, tl.where(total > 0, 1.0 / total, 0.0), inside)


@triton.jit
def _chunkwise(
    alpha,
    energies,
    peak,
    inverse,
    beta,
    time,
    chunk_size,
    BLOCK: tl.constexpr,  # noqa: N803
):
    row = tl.program_id(0).to(tl.int64) * time
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    u = tl.load(energies + row + j, j < time, -float("inf"))
    found = tl.zeros((BLOCK,), tl.float32)
    for ahead in range(0, chunk_size):
        k = j + ahead
        a = tl.load(alpha + row + k, k < time, 0.0)
        weight = tl.exp(u - tl.load(peak + row + k, k < time, float("inf")))
        found += a * weight * tl.load(inverse + row + k, k < time, 0.0)
    tl.store(beta + row + j, found, j < time)


@triton.jit
def _by_alpha(
    energies,
    peak,
    inverse,
    grad,
    by_alpha,
    time,
    chunk_size,
    BLOCK: tl.constexpr,  # noqa: N803
):
    row = tl.program_id(0).to(tl.int64) * time
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    highest = tl.load(peak + row + k, k < time, 0.0)
    found = tl.zeros((BLOCK,), tl.float32)
    for back in range(0, chunk_size):
        known = (k < time) & (k >= back)
        u = tl.load(energies + row + k - back, known, -float("inf"))
        found += tl.exp(u - highest) * tl.load(grad + row + k - back, known, 0.0)
    tl.store(by_alpha + row + k, found * tl.load(inverse + row + k, k < time, 0.0), k < time)


@triton.jit
def _by_energy(
    alpha,
    energies,
    peak,
    inverse,
    grad,
    by_alpha,
    by_energy,
    time,
    chunk_size,
    BLOCK: tl.constexpr,  # noqa: N803
):
    row = tl.program_id(0).to(tl.int64) * time
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    u = tl.load(energies + row + j, j < time, -float("inf"))
    given = tl.load(grad + row + j, j < time, 0.0)
    found = tl.zeros((BLOCK,), tl.float32)
    for ahead in range(0, chunk_size):
        k = j + ahead
        a = tl.load(alpha + row + k, k < time, 0.0)
        weight = tl.exp(u - tl.load(peak + row + k, k < time, float("inf")))
        weight *= tl.load(inverse + row + k, k < time, 0.0)
        found += a * weight * (given - tl.load(by_alpha + row + k, k < time, 0.0))
    tl.store(by_energy + row + j, found, j < time)
