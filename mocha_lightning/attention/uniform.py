"""The mean of the memory: a baseline for every mechanism that chooses."""

from jaxtyping import Bool, Float
from torch import Tensor

from mocha_lightning.attention.base import Attended, Attention, Memory, context_of


class UniformAttention(Attention):
    """c_i = mean of h_1, ..., h_T, the same at every output: a baseline that learns nothing.

    The decoder hears what is in the memory but not where. Needs the whole memory, so not online.

    Args:
        memory_dim: dim(h_j); like the others not used, for there is no parameter.
        query_dim: dim(s_{i-1}).
        energy_dim: d.
    """

    def __init__(self, memory_dim: int, query_dim: int, energy_dim: int) -> None:
        super().__init__()

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """There are no keys."""
        return Memory(values, valid)

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch 0"]:
        """It remembers nothing between outputs."""
        return memory.values.new_empty(len(memory.values), 0)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Float[Tensor, "batch 0"],
    ) -> Attended:
        """The same weight for every entry of the utterance."""
        weights = memory.valid.to(memory.values)
        weights = weights / weights.sum(1, keepdim=True)
        return Attended(context_of(weights, memory), weights, state)
