"""Monotonic adaptive chunkwise attention: the paper's Appendix C."""

from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import adaptive_chunkwise_alignment
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.chunkwise import ChunkwiseAttention


class MAtChA(ChunkwiseAttention):
    """Soft attention over the chunk from where the head last stopped to where it stops now.

    The paper's Appendix C, which found it no better than MoChA. Both ends belong to the chunk, so
    an output that stops where the last one did attends to that entry alone, and the first chunk
    begins at the memory's first entry (t_0 = 1). Hard decoding is online and linear. Expected
    attention takes time quadratic in T and, but on a CPU in float32, memory too: batch x T^2
    numbers, several times over.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of both energy functions.
        max_entries: the longest memory, in entries, whose expected attention is computed; hard
            decoding has no limit.
        offset, gain, noise_std, noise_ramp, gain_rate: see :class:`ScanningAttention`.

    Raises:
        ValueError: a limit below 1; a negative noise, ramp or rate; in ``expected_start``, a
            memory longer than the limit.
    """

    of_the_paper: ClassVar[bool] = True

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        max_entries: int = 1000,
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
        if max_entries < 1:
            raise ValueError(f"max_entries must be at least 1, not {max_entries}")
        self.max_entries = max_entries

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch time"]:
        """alpha_0, unless the memory is too long."""
        batch, time = memory.valid.shape
        if time > self.max_entries:
            raise ValueError(
                f"max_entries is {self.max_entries}, but a memory has {time} entries: MAtChA's "
                f"expected attention takes several times {batch} x {time} x {time} operations, and "
                "on a GPU as many numbers; raise max_entries, leave long utterances out, or use "
                "MoChA"
            )
        return super().expected_start(memory)

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """beta_i: :func:`adaptive_chunkwise_alignment`."""
        return adaptive_chunkwise_alignment(logits, self.chunk_energies(query, memory), previous)

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"]]:
        """Softmax over the entries t_{i-1} to t_i, both included (Appendix C)."""
        return self.chunk_softmax(query, memory, previous, stop)

    def oldest_needed(self, previous: int, position: int) -> int:
        """Where the next chunk begins."""
        return previous
