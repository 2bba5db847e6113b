"""Softmax over everything up to where the head stops, in expectation."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.alignment.inputs import as_rows, check_alike
from mocha_lightning.attention.kernels import backend_for, operators
from mocha_lightning.attention.once import differentiable_once


def lookback_alignment(
    alpha: Float[Tensor, "... time"], energies: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    r"""What MILk attends to in expectation: their equation for beta_{i,j}.

    beta_{i,j} = sum_{k=j}^{T} alpha_{i,k} exp(u_{i,j}) / sum_{l=1}^{k} exp(u_{i,l}): a softmax
    over everything up to where the head stops, for every place where it may stop. Energies of any
    size are safe: each softmax subtracts its own maximum.

    Args:
        alpha: alpha_{i,:}, where the monotonic head stops.
        energies: u_{i,:}; padding is -inf. A stop before any valid entry gives 0.

    Returns:
        beta_{i,:}.

    Raises:
        ValueError: shapes that differ.
        NotANumberError: on a CPU, an energy that is NaN or +inf.
        TypeError: integers.
    """
    check_alike(alpha=alpha, energies=energies)
    rows = as_rows(alpha, energies)
    if torch.compiler.is_compiling():
        beta: Tensor = operators.lookback(*rows)
    else:
        beta = _LookbackAlignment.apply(*rows)  # type: ignore[no-untyped-call]
    return beta if alpha.dim() == 2 else beta.view(alpha.shape)


class _LookbackAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor, energies: Tensor) -> Tensor:
        ctx.save_for_backward(alpha, energies)
        ctx.backend = backend_for(alpha)
        beta: Tensor = ctx.backend.lookback(alpha, energies)
        return beta

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        backward = ctx.backend.lookback_backward
        by: tuple[Tensor, Tensor] = backward(*ctx.saved_tensors, grad.contiguous())
        return by
