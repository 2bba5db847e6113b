"""Monotonic chunkwise attention: the paper's contribution (section 2.4)."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import chunkwise_alignment, monotonic_alignment
from mocha_lightning.attention.base import Attended, Attention, Memory, context_of
from mocha_lightning.attention.energy import NormalisedEnergy
from mocha_lightning.attention.head import (
    MonotonicHead,
    next_stop,
    start_alignment,
    start_position,
)


class MoChA(Attention):
    """Soft attention over the w entries that end where a monotonic head stops (section 2.4).

    With w = 1 it is :class:`MonotonicAttention` with an energy function that does nothing.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of both energy functions.
        chunk_size: w (the paper: 2 on speech, 8 on summaries).
        offset: initial r of the monotonic energy (the paper: -4 on speech, 0 on summaries).
        gain: initial g of both energies; None is the paper's 1/sqrt(d).
        noise_std: standard deviation of the pre-sigmoid noise in training (the paper: 1).
        noise_ramp: training steps over which the noise grows to ``noise_std`` (the paper: 0).
        gain_rate: multiple of the model's learning rate at which both g learn (the paper: 1).

    Raises:
        ValueError: a chunk size below 1.
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
        super().__init__()
        self.gain_rate = gain_rate
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
        self.chunk_size = chunk_size
        self.head = MonotonicHead(
            memory_dim, query_dim, energy_dim, offset, gain, noise_std, noise_ramp
        )
        self.chunk_energy = NormalisedEnergy(memory_dim, query_dim, energy_dim, gain)

    def learning_rate_factors(self) -> dict[str, float]:
        """The gains'."""
        return dict.fromkeys(("head.energy.g", "chunk_energy.g"), self.gain_rate)

    def begin_update(self, step: int) -> None:
        """Set the noise of this training step."""
        self.head.begin_update(step)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys of both energies."""
        keys = (self.head.energy.project(values), self.chunk_energy.project(values))
        return Memory(values, valid, keys)

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch time"]:
        """alpha_0."""
        return start_alignment(memory.values)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Float[Tensor, "batch time"],
    ) -> Attended:
        """Eqs. ``chunk_train1`` to ``chunk_train7``."""
        head_keys, chunk_keys = memory.keys
        logits = self.head(query, head_keys, memory.valid)
        alpha = monotonic_alignment(logits, state)
        energies = self.chunk_energy(query, chunk_keys).masked_fill(~memory.valid, -torch.inf)
        beta = chunkwise_alignment(alpha, energies, self.chunk_size)
        return Attended(context_of(beta, memory), beta, alpha, logits)

    def hard_start(self, memory: Memory) -> Int[Tensor, " batch"]:
        """t_0."""
        return start_position(memory.values)

    def hard_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Int[Tensor, " batch"],
    ) -> Attended:
        """Algorithm 1: softmax over the entries t_i - w + 1 to t_i, or a context of zeros."""
        head_keys, chunk_keys = memory.keys
        logits = self.head(query, head_keys, memory.valid)
        stop = next_stop(logits, state)
        time = logits.shape[-1]
        # Positions of the chunk; those before the memory, and a scan past its end, hold nothing.
        entries = stop.unsqueeze(1) + torch.arange(1 - self.chunk_size, 1, device=stop.device)
        exists = (entries >= 0) & (stop < time).unsqueeze(1)
        entries = entries.clamp(0, time - 1)
        index = entries.unsqueeze(-1).expand(-1, -1, chunk_keys.shape[-1])
        energies = self.chunk_energy(query, chunk_keys.gather(1, index))
        softmax = torch.softmax(energies.masked_fill(~exists, -torch.inf), -1).masked_fill(
            ~exists, 0.0
        )
        # Autocast may give the softmax another type than the logits.
        weights = softmax.new_zeros(logits.shape).scatter_add_(1, entries, softmax)
        return Attended(context_of(weights, memory), weights, stop, logits)
