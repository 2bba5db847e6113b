"""Monotonic chunkwise attention: the paper's contribution (section 2.4)."""

from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import chunkwise_alignment
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.chunkwise import ChunkwiseAttention
from mocha_lightning.attention.sizes import check_size


class MoChA(ChunkwiseAttention):
    """Soft attention over the w entries that end where a monotonic head stops (section 2.4).

    With w = 1 it is :class:`MonotonicAttention` with an energy function that does nothing (and
    whose parameters count all the same).

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of both energy functions.
        chunk_size: w (the paper: 2 on speech, 8 on summaries).
        offset, gain, noise_std, noise_ramp, gain_rate: see :class:`ScanningAttention`.

    Raises:
        ValueError: a chunk size below 1; a negative noise, ramp or rate.
    """

    of_the_paper: ClassVar[bool] = True

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
        check_size("chunk_size", chunk_size)
        self.chunk_size = chunk_size

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """beta_i: eqs. 24 and 25."""
        return chunkwise_alignment(alpha, self.chunk_energies(query, memory), self.chunk_size)

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"]]:
        """Algorithm 1, lines 7 to 11 (eqs. 14 to 16): softmax over t_i - w + 1 to t_i."""
        return self.chunk_softmax(query, memory, stop - self.chunk_size + 1, stop)

    def oldest_needed(self, previous: int, position: int) -> int:
        """The first entry of the earliest chunk that can come."""
        return position - self.chunk_size + 1
