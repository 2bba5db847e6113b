"""Soft attention that sees what it has attended to before (See et al. 2017)."""

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from mocha_lightning.attention.base import Attended, Memory, context_of
from mocha_lightning.attention.energy import Keys, LazyKeys
from mocha_lightning.attention.soft import SoftAttention
from mocha_lightning.attention.softmax import softmax


class CoverageAttention(SoftAttention):
    """Softmax over v^T tanh(W_h h_j + W_s s_{i-1} + w_c c_{i,j} + b), c_i = sum_{k<i} alpha_k.

    See et al., *Get To The Point: Summarization with Pointer-Generator Networks* (2017),
    equations 10 and 11. The MoChA paper leaves it out. c_i says how much of each entry's share has
    been given out, which is so only where the weights of every output sum to 1; a monotonic head
    does not come back anyway.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, the energy function's hidden dimensionality.
    """

    of_the_paper: ClassVar[bool] = False

    def __init__(self, memory_dim: int, query_dim: int, energy_dim: int) -> None:
        super().__init__(memory_dim, query_dim, energy_dim)
        self.w_c = nn.Parameter(torch.empty(energy_dim).uniform_(-1, 1))

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch time"]:
        """c_1: nothing has been attended to."""
        return memory.values.new_zeros(memory.valid.shape)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Float[Tensor, "batch time"],
    ) -> Attended:
        """Softmax over every entry, with ``state`` as c_i; gives c_{i+1}."""
        shift, keys = self.energy.query_projection(query), memory.keys[0]
        assert not isinstance(keys, LazyKeys)  # those are for hard attention alone

        def energies_of(
            projected: Tensor, direction: Tensor, shift: Tensor, coverage: Tensor
        ) -> Tensor:
            covered = projected + (coverage.unsqueeze(2) * self.w_c).to(projected.dtype)
            return self.energy.shifted(shift, Keys(covered, direction))

        # The covered keys are other ones at every output, each as large as the keys: they are made
        # again on the way back.
        energies = checkpoint(
            energies_of,
            keys.projected,
            keys.direction,
            shift,
            state,
            use_reentrant=False,
            preserve_rng_state=False,
        )
        weights = softmax(torch.where(memory.valid, energies, -torch.inf))
        return Attended(context_of(weights, memory), weights, state + weights)
