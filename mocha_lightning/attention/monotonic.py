"""Hard monotonic attention (Raffel et al. 2017; section 2.3)."""

import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import monotonic_alignment
from mocha_lightning.attention.base import Attended, Attention, Memory, context_of
from mocha_lightning.attention.head import (
    MonotonicHead,
    next_stop,
    start_alignment,
    start_position,
)


class MonotonicAttention(Attention):
    """Attends to the single entry where a monotonic head stops: c_i = h_{t_i} (section 2.3).

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, the energy function's hidden dimensionality.
        offset: initial r of the monotonic energy (the paper: -1 on summaries).
        gain: initial g; None is the paper's 1/sqrt(d).
        noise_std: standard deviation of the pre-sigmoid noise in training (the paper: 1).
        noise_ramp: training steps over which the noise grows to ``noise_std`` (the paper: 0).
        gain_rate: multiple of the model's learning rate at which g learns (the paper: 1).
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        offset: float = -4.0,
        gain: float | None = None,
        noise_std: float = 1.0,
        noise_ramp: int = 0,
        gain_rate: float = 1.0,
    ) -> None:
        super().__init__()
        self.gain_rate = gain_rate
        self.head = MonotonicHead(
            memory_dim, query_dim, energy_dim, offset, gain, noise_std, noise_ramp
        )

    def learning_rate_factors(self) -> dict[str, float]:
        """The gain's."""
        return {"head.energy.g": self.gain_rate}

    def begin_update(self, step: int) -> None:
        """Set the noise of this training step."""
        self.head.begin_update(step)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys."""
        return Memory(values, valid, (self.head.energy.project(values),))

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch time"]:
        """alpha_0."""
        return start_alignment(memory.values)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Float[Tensor, "batch time"],
    ) -> Attended:
        """alpha_i from alpha_{i-1}; c_i = sum_j alpha_{i,j} h_j."""
        logits = self.head(query, memory.keys[0], memory.valid)
        alpha = monotonic_alignment(logits, state)
        return Attended(context_of(alpha, memory), alpha, alpha, logits)

    def hard_start(self, memory: Memory) -> Int[Tensor, " batch"]:
        """t_0."""
        return start_position(memory.values)

    def hard_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Int[Tensor, " batch"],
    ) -> Attended:
        """Algorithm 1 with w = 1: attend to the entry where the scan stops, or to nothing."""
        logits = self.head(query, memory.keys[0], memory.valid)
        stop = next_stop(logits, state)
        time = logits.shape[-1]
        weights = F.one_hot(stop, time + 1)[:, :time].to(memory.values)
        return Attended(context_of(weights, memory), weights, stop, logits)
