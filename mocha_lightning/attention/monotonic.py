"""Hard monotonic attention (Raffel et al. 2017; section 2.3)."""

from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.scanning import ScanningAttention


class MonotonicAttention(ScanningAttention):
    """Attends to the single entry where a monotonic head stops: c_i = h_{t_i} (section 2.3).

    Its arguments are those of :class:`ScanningAttention`.
    """

    of_the_paper: ClassVar[bool] = True

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """alpha_i itself: c_i = sum_j alpha_{i,j} h_j."""
        return alpha

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch 1"], Int[Tensor, "batch 1"]]:
        """Algorithm 1 with w = 1: the entry where the scan stops, or nothing."""
        weights = (stop < memory.lengths).to(query.dtype)
        return weights.unsqueeze(1), stop.clamp(max=memory.valid.shape[1] - 1).unsqueeze(1)

    def oldest_needed(self, previous: int, position: int) -> int:
        """No entry but those to be inspected."""
        return position
