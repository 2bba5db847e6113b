"""Hard monotonic attention (Raffel et al. 2017; section 2.3)."""

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.scanning import ScanningAttention


class MonotonicAttention(ScanningAttention):
    """Attends to the single entry where a monotonic head stops: c_i = h_{t_i} (section 2.3).

    Its arguments are those of :class:`ScanningAttention`.
    """

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
        logits: Float[Tensor, "batch time"],
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch time"]:
        """Algorithm 1 with w = 1: the entry where the scan stops, or nothing."""
        time = memory.values.shape[1]
        return F.one_hot(stop, time + 1)[:, :time].to(memory.values)
