"""Monotonic adaptive chunkwise attention: the paper's Appendix C."""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from mocha_lightning.attention.alignment import monotonic_alignment
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.chunkwise import ChunkwiseAttention
from mocha_lightning.attention.milk import lookback_alignment


def adaptive_chunkwise_alignment(
    logits: Float[Tensor, "... time"],
    chunk_energies: Float[Tensor, "... time"],
    previous: Float[Tensor, "... time"],
) -> Float[Tensor, "... time"]:
    r"""What MAtChA attends to in expectation: the paper's eq. ``matcha_distribution``.

    beta_{i,j} = sum_{k=1}^{j} sum_{l=j}^{T} exp(u_{i,j}) / sum_{m=k}^{l} exp(u_{i,m})
    alpha_{i-1,k} p_{i,l} prod_{n=k}^{l-1} (1 - p_{i,n}): a softmax over each chunk from k to l,
    where the head stopped at k and stops at l now.

    The paper's dynamic programme (eqs. ``matcha_recursion``, ``matcha_distribution_2``) sums over
    k first, and takes all chunks' sums of exponentials as differences of one cumulative sum and
    their products of 1 - p as quotients of one cumulative product. Both are lost to rounding
    where energies differ or p is near 1. The same T^2 terms are summed here in another order:
    for each k, the monotonic recurrence from k gives the probability of every chunk that begins
    there, and MILk's recurrence on the memory from k on gives their softmaxes. Neither divides by
    anything below 1, and float32 is exact to 1e-7.

    Takes O(T^2) time and memory. What the gradient needs is computed again when it is asked for,
    so that a sequence of outputs needs this memory once and not once an output (the paper's
    O(U T^2)).

    Args:
        logits: e_{i,:}, before the sigmoid, noise already added. Infinities are allowed and mean
            p exactly 0 or 1; padding is -inf.
        chunk_energies: u_{i,:}; padding is -inf. A chunk without a valid entry gives 0.
        previous: alpha_{i-1,:}.

    Returns:
        beta_{i,:}, differentiable once in every argument. Its sum is that of alpha_{i,:} where
        every entry with a positive p is valid.
    """
    beta: Tensor = checkpoint(
        _sum_over_starts,
        logits,
        chunk_energies,
        previous,
        use_reentrant=False,
        preserve_rng_state=False,
    )
    return beta


def _sum_over_starts(
    logits: Float[Tensor, "... time"],
    chunk_energies: Float[Tensor, "... time"],
    previous: Float[Tensor, "... time"],
) -> Float[Tensor, "... time"]:
    time = logits.shape[-1]
    starts = torch.diag_embed(previous)  # row k: alpha_{i-1,k} at entry k
    chunks = monotonic_alignment(logits.unsqueeze(-2).expand_as(starts), starts)
    before = torch.ones(time, time, dtype=torch.bool, device=logits.device).tril(-1)
    energies = chunk_energies.unsqueeze(-2).masked_fill(before, -torch.inf)
    return lookback_alignment(chunks, energies).sum(-2)


class MAtChA(ChunkwiseAttention):
    """Soft attention over the chunk from where the head last stopped to where it stops now.

    The paper's Appendix C, which found it no better than MoChA. Both ends belong to the chunk, so
    an output that stops where the last one did attends to that entry alone, and the first chunk
    begins at the memory's first entry (t_0 = 1). Hard decoding is online and linear. Expected
    attention takes memory quadratic in T: batch x T^2 numbers, several times over.

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
                f"expected attention takes several times {batch} x {time} x {time} numbers; "
                "raise max_entries, leave long utterances out, or use MoChA"
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
        logits: Float[Tensor, "batch time"],
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch time"]:
        """Softmax over the entries t_{i-1} to t_i, both included (Appendix C)."""
        return self.chunk_softmax(query, memory, previous, stop)
