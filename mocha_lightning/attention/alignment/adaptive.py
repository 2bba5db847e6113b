"""Softmax from where the head last stopped to where it stops now, in expectation."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.alignment.inputs import as_rows, check_alike
from mocha_lightning.attention.kernels import backend_for, operators
from mocha_lightning.attention.once import differentiable_once


def adaptive_chunkwise_alignment(
    logits: Float[Tensor, "... time"],
    chunk_energies: Float[Tensor, "... time"],
    previous: Float[Tensor, "... time"],
) -> Float[Tensor, "... time"]:
    r"""What MAtChA attends to in expectation: the paper's eq. 28.

    beta_{i,j} = sum_{k=1}^{j} sum_{l=j}^{T} exp(u_{i,j}) / sum_{m=k}^{l} exp(u_{i,m})
    alpha_{i-1,k} p_{i,l} prod_{n=k}^{l-1} (1 - p_{i,n}): a softmax over each chunk from k to l,
    where the head stopped at k and stops at l now.

    The paper's dynamic programme (eqs. 38, 39) sums over
    k first, and takes all chunks' sums of exponentials as differences of one cumulative sum and
    their products of 1 - p as quotients of one cumulative product. Both are lost to rounding
    where energies differ or p is near 1. The same T^2 terms are summed here in another order:
    for each k, the monotonic recurrence from k gives the probability of every chunk that begins
    there, and MILk's recurrence on the memory from k on gives their softmaxes. Neither divides by
    anything below 1, and float32 is exact to 1e-7.

    Takes O(T^2) time; on a CPU in float32 O(T) memory, and O(T^2) otherwise. What the gradient
    needs is computed again when it is asked for, so that a sequence of outputs needs this memory
    once and not once an output (the paper's O(U T^2)).

    Args:
        logits: e_{i,:}, before the sigmoid, noise already added. Infinities are allowed and mean
            p exactly 0 or 1; padding is -inf.
        chunk_energies: u_{i,:}; padding is -inf. A chunk without a valid entry gives 0.
        previous: alpha_{i-1,:}.

    Returns:
        beta_{i,:}, differentiable once in every argument. Its sum is that of alpha_{i,:} where
        every entry with a positive p is valid.

    Raises:
        ValueError: shapes that differ; on a CPU, a previous alignment that is no distribution.
        NotANumberError: on a CPU, a NaN, or an energy of +inf.
        TypeError: integers.
    """
    check_alike(logits=logits, chunk_energies=chunk_energies)
    check_alike(logits=logits, previous=previous)
    rows = as_rows(logits, chunk_energies, previous)
    if torch.compiler.is_compiling():
        beta: Tensor = operators.adaptive(*rows)
    else:
        beta = _AdaptiveChunkwiseAlignment.apply(*rows)  # type: ignore[no-untyped-call]
    return beta if logits.dim() == 2 else beta.view(logits.shape)


class _AdaptiveChunkwiseAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, energies: Tensor, previous: Tensor) -> Tensor:
        ctx.save_for_backward(logits, energies, previous)
        ctx.backend = backend_for(logits)
        beta: Tensor = ctx.backend.adaptive(logits, energies, previous)
        return beta

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        backward = ctx.backend.adaptive_backward
        by: tuple[Tensor, Tensor, Tensor] = backward(*ctx.saved_tensors, grad.contiguous())
        return by
