"""MoChA with a chunk size chosen for each output: ours, after the paper's future work."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mocha_lightning.attention.alignment import chunkwise_alignment
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.chunkwise import ChunkwiseAttention
from mocha_lightning.attention.softmax import softmax


def mixed_chunkwise_alignment(
    alpha: Float[Tensor, "... time"],
    chunk_energies: Float[Tensor, "... time"],
    size_probabilities: Float[Tensor, "... sizes"],
    chunk_sizes: Sequence[int],
) -> Float[Tensor, "... time"]:
    """MoChA's beta_i in expectation over the chunk size: sum_w P(w) beta_i^{(w)}.

    Args:
        alpha: alpha_{i,:}, where the monotonic head stops.
        chunk_energies: u_{i,:}; padding is -inf.
        size_probabilities: P(w), in the order of ``chunk_sizes``.
        chunk_sizes: the sizes w, each at least 1.

    Returns:
        The mixture, differentiable once in every tensor.

    Raises:
        ValueError: a chunk size below 1.
    """
    betas = [chunkwise_alignment(alpha, chunk_energies, size) for size in chunk_sizes]
    # Not a matrix product, which autocast would round.
    return (size_probabilities.unsqueeze(-1) * torch.stack(betas, -2)).sum(-2)


class AdaptiveMoChA(ChunkwiseAttention):
    """MoChA whose chunk size is chosen for each output among given ones, by the query.

    Ours, in no paper: an answer to the future work that section 5 of the paper names, "ways to
    allow the chunk size w to also vary adaptively". P(w | s_{i-1}) = softmax(A s_{i-1} + a)_w.
    Expected attention is the mixture of the sizes' beta_i; hard attention takes the likeliest
    size. Nothing pushes the choice towards certainty as the noise pushes the head's, so the two
    may differ by it: compare the scores under expected and hard attention. Decoding is online,
    and linear with the largest size as its factor; training costs one beta_i for each size.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of both energy functions.
        chunk_sizes: the sizes w to choose from.
        offset, gain, noise_std, noise_ramp, gain_rate: see :class:`ScanningAttention`.

    Raises:
        ValueError: no sizes, one below 1 or one named twice; a negative noise, ramp or rate.
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        chunk_sizes: Sequence[int] = (1, 2, 4, 8),
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
        sizes = tuple(chunk_sizes)
        if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
            raise ValueError(f"chunk_sizes must be distinct and at least 1, not {list(sizes)}")
        self.chunk_sizes = sizes
        self.size_choice = nn.Linear(query_dim, len(sizes))

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """:func:`mixed_chunkwise_alignment` with P(w | s_{i-1})."""
        energies = self.chunk_energies(query, memory)
        probabilities = softmax(self.size_choice(query))
        return mixed_chunkwise_alignment(alpha, energies, probabilities, self.chunk_sizes)

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"]]:
        """Algorithm 1, lines 7 to 11, with the likeliest w."""
        sizes = torch.tensor(self.chunk_sizes, device=stop.device)
        first = stop - sizes[self.size_choice(query).argmax(-1)] + 1
        return self.chunk_softmax(query, memory, first, stop)

    def oldest_needed(self, previous: int, position: int) -> int:
        """The first entry of the earliest and largest chunk that can come."""
        return position - max(self.chunk_sizes) + 1
