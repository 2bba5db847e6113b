"""Softmax over the w entries up to where the head stops, in expectation."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.alignment.inputs import as_rows, check_alike
from mocha_lightning.attention.kernels import backend_for, operators
from mocha_lightning.attention.once import differentiable_once


def chunkwise_alignment(
    alpha: Float[Tensor, "... time"], chunk_energies: Float[Tensor, "... time"], chunk_size: int
) -> Float[Tensor, "... time"]:
    r"""What MoChA attends to in expectation: the paper's equation for beta_{i,j}.

    beta_{i,j} = sum_{k=j}^{j+w-1} alpha_{i,k} exp(u_{i,j}) / sum_{l=k-w+1}^{k} exp(u_{i,l})
    (section 2.4; eqs. 17 and 25). Energies of any size are safe: where those of a row lie so
    far apart that an exponential would vanish, each chunk's softmax subtracts that chunk's own
    maximum. A chunk that begins before the memory holds what exists.

    Args:
        alpha: alpha_{i,:}, where the monotonic head stops.
        chunk_energies: u_{i,:}; padding is -inf. A chunk without a valid entry gives 0.
        chunk_size: w, at least 1.

    Returns:
        beta_{i,:}.

    Raises:
        ValueError: a chunk size below 1; shapes that differ.
        NotANumberError: on a CPU, an energy that is NaN or +inf, an alpha that is not finite.
        TypeError: integers for numbers, or the other way round.
    """
    if type(chunk_size) is not int:
        raise TypeError(f"chunk_size must be a whole number, not {chunk_size!r}")
    if chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
    check_alike(alpha=alpha, chunk_energies=chunk_energies)
    # No chunk holds more than the memory.
    chunk_size = min(chunk_size, chunk_energies.shape[-1])
    rows = as_rows(alpha, chunk_energies)
    if torch.compiler.is_compiling():
        beta: Tensor = operators.chunkwise(*rows, chunk_size)
    else:
        beta = _ChunkwiseAlignment.apply(*rows, chunk_size)  # type: ignore[no-untyped-call]
    return beta if alpha.dim() == 2 else beta.view(alpha.shape)


class _ChunkwiseAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor, energies: Tensor, chunk_size: int) -> Tensor:
        ctx.save_for_backward(alpha, energies)
        ctx.chunk_size, ctx.backend = chunk_size, backend_for(alpha)
        beta: Tensor = ctx.backend.chunkwise(alpha, energies, chunk_size)
        return beta

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        alpha, energies = ctx.saved_tensors
        backward = ctx.backend.chunkwise_backward
        return *backward(alpha, energies, ctx.chunk_size, grad.contiguous()), None
