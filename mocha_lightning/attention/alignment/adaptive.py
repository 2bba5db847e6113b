"""Softmax from where the head last stopped to where it stops now, in expectation."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from mocha_lightning.attention.alignment.inputs import check
from mocha_lightning.attention.alignment.lookback import lookback_alignment
from mocha_lightning.attention.alignment.monotonic import monotonic_alignment


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
    check(logits=logits, chunk_energies=chunk_energies)
    check(logits=logits, previous=previous)
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
