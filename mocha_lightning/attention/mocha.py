"""Monotonic chunkwise attention: the paper's contribution (section 2.4)."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import chunkwise_alignment
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.energy import NormalisedEnergy
from mocha_lightning.attention.scanning import ScanningAttention


class MoChA(ScanningAttention):
    """Soft attention over the w entries that end where a monotonic head stops (section 2.4).

    With w = 1 it is :class:`MonotonicAttention` with an energy function that does nothing.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of both energy functions.
        chunk_size: w (the paper: 2 on speech, 8 on summaries).
        offset, gain, noise_std, noise_ramp, gain_rate: see :class:`ScanningAttention`.

    Raises:
        ValueError: a chunk size below 1; a negative noise, ramp or rate.
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        chunk_size: int = 2,
        offset: float = -4.0,
        gain: float | None = None,
        noise_std: float = 1.0,
        noise_ramp: int = 0,
        gain_rate: float = 1.0,
    ) -> None:
        super().__init__(
            memory_dim,
            query_dim,
            energy_dim,
            offset=offset,
            gain=gain,
            noise_std=noise_std,
            noise_ramp=noise_ramp,
            gain_rate=gain_rate,
        )
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
        self.chunk_size = chunk_size
        self.chunk_energy = NormalisedEnergy(memory_dim, query_dim, energy_dim, gain)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys of both energies."""
        energies = self.head.energy, self.chunk_energy
        return Memory(values, valid, tuple(self.project(energy, values) for energy in energies))

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """beta_i: eqs. ``chunk_train5`` and ``chunk_train6``."""
        energies = self.chunk_energy(query, memory.keys[1])
        energies = torch.where(memory.valid, energies, -torch.inf)
        return chunkwise_alignment(alpha, energies, self.chunk_size)

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch chunk"], Int[Tensor, "batch chunk"]]:
        """Algorithm 1, lines 7 to 11: softmax over the entries t_i - w + 1 to t_i."""
        batch, time = memory.valid.shape
        # No chunk holds more than the memory.
        back = torch.arange(1 - min(self.chunk_size, time), 1, device=stop.device)
        entries = stop.unsqueeze(1) + back
        # Places before the memory, and a scan past its end, hold nothing.
        exists = (entries >= 0) & (stop < memory.lengths).unsqueeze(1)
        entries = entries.clamp(0, time - 1)
        rows = torch.arange(batch, device=stop.device).unsqueeze(1)
        energies = self.chunk_energy(query, memory.keys[1].at(rows, entries))
        softmax = torch.softmax(energies.masked_fill(~exists, -torch.inf), -1)
        return softmax.masked_fill(~exists, 0.0), entries
