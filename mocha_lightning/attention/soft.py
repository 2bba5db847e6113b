"""Soft attention: the offline baseline (section 2.2)."""

from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mocha_lightning.attention.base import Attended, Attention, Memory, context_of
from mocha_lightning.attention.energy import AdditiveEnergy
from mocha_lightning.attention.softmax import softmax


class SoftAttention(Attention):
    """alpha_{i,:} = softmax(e_{i,:}) over the whole memory (Bahdanau et al. 2015; section 2.2).

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, the energy function's hidden dimensionality.
    """

    of_the_paper: ClassVar[bool] = True

    def __init__(self, memory_dim: int, query_dim: int, energy_dim: int) -> None:
        super().__init__()
        self.energy = AdditiveEnergy(memory_dim, query_dim, energy_dim)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys."""
        return Memory(values, valid, (self.energy.project(values),))

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch 0"]:
        """Soft attention remembers nothing between outputs."""
        return memory.values.new_empty(len(memory.values), 0)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Float[Tensor, "batch 0"],
    ) -> Attended:
        """Softmax over every entry of the memory (eq. 6)."""
        energies = torch.where(memory.valid, self.energy(query, memory.keys[0]), -torch.inf)
        weights = softmax(energies)
        return Attended(context_of(weights, memory), weights, state)
