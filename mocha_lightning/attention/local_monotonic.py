"""Attention along the diagonal (Luong et al. 2015, *local-m*)."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.base import Attended, Attention, Memory, context_of
from mocha_lightning.attention.energy import AdditiveEnergy
from mocha_lightning.attention.head import start_position
from mocha_lightning.attention.sizes import check_size
from mocha_lightning.attention.windows import window_softmax


class LocalMonotonicAttention(Attention):
    """Soft attention over a window that moves on by the same number of entries every output.

    Luong et al., *Effective Approaches to Attention-based Neural Machine Translation* (2015),
    section 3.2, monotonic alignment: the window of output t is [p_t - D, p_t + D] with p_t = t,
    and what of it lies outside the sentence is left out. The MoChA paper calls it "assuming a
    strictly diagonal alignment". Training and testing attend alike. Decoding is linear and needs
    D entries ahead.

    In translation T and U are about the same. In speech they are not, and T/U is unknown before
    the last output, so the slope is a constant that the user must give: p_i is the middle of the
    i-th stretch of ``entries_per_output`` entries, floor(entries_per_output (i - 1/2)) counted
    from 0, which with 1 is Luong et al.'s p_t = t. A constant is right for no utterance but the
    one of average speed: a slow speaker or a pause leaves the window behind, a fast one runs
    ahead of it, and after T / entries_per_output outputs nothing is left to attend to and the
    context is zero. Choose it as the training set's mean of T/U; it is a baseline of what a fixed
    rate can do, not a contender.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, the energy function's hidden dimensionality.
        entries_per_output: memory entries that the window moves on by at each output.
        half_width: D, entries on either side of p_i (Luong et al.: 10).

    Raises:
        ValueError: a rate that is not positive; a negative D.
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        entries_per_output: float = 1.0,
        half_width: int = 10,
    ) -> None:
        super().__init__()
        if not entries_per_output > 0:
            raise ValueError(f"entries_per_output must be positive, not {entries_per_output}")
        check_size("half_width", half_width, least=0)
        self.entries_per_output = entries_per_output
        self.half_width = half_width
        self.energy = AdditiveEnergy(memory_dim, query_dim, energy_dim)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys."""
        return Memory(values, valid, (self.energy.project(values),))

    def expected_start(self, memory: Memory) -> Int[Tensor, " batch"]:
        """How many outputs there have been: none."""
        return start_position(memory.values)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Int[Tensor, " batch"],
    ) -> Attended:
        """Softmax over the window around p_i."""
        middle = torch.floor(self.entries_per_output * (state + 0.5)).long()
        first, last = middle - self.half_width, middle + self.half_width
        weights, entries = window_softmax(self.energy, query, memory, memory.keys[0], first, last)
        context = context_of(weights, memory, entries)
        return Attended(context, weights, state + 1, entries=entries)
