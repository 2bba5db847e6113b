"""No attention at all: what the decoder knows of language alone."""

from jaxtyping import Bool, Float
from torch import Tensor

from mocha_lightning.attention.base import Attended, Attention, Memory, context_of


class NoAttention(Attention):
    """c_i = 0 at every output, so that the decoder is a language model that hears nothing.

    Its score is what can be had without the input: a mechanism that does no better has not
    learned to listen.

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
        """Weights of zero."""
        weights = memory.values.new_zeros(memory.valid.shape)
        return Attended(context_of(weights, memory), weights, state)
