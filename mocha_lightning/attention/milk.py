"""Monotonic infinite lookback attention (Arivazhagan et al. 2019)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import lookback_alignment
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.chunkwise import ChunkwiseAttention


class MILk(ChunkwiseAttention):
    """Soft attention over everything up to where a monotonic head stops (Arivazhagan et al. 2019).

    MoChA with a chunk that begins at the memory's first entry: online, but each output costs as
    many energies as have been read, so that decoding is quadratic. The energies are MoChA's, so
    that the two differ by the chunk alone.

    Where the scan passes the memory's end the context is zero, as with every mechanism that
    scans. Public code for translation (fairseq's ``mass_preservation``) gives that mass to the
    last entry instead, which makes the context a softmax over all of the memory.

    Its arguments are those of :class:`ChunkwiseAttention`.
    """

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """beta_i: :func:`lookback_alignment`."""
        return lookback_alignment(alpha, self.chunk_energies(query, memory))

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"]]:
        """Softmax over the entries 1 to t_i."""
        return self.chunk_softmax(query, memory, torch.zeros_like(stop), stop)
