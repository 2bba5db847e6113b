"""Softmax over everything up to where the head stops, in expectation."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.alignment.inputs import as_rows, check
from mocha_lightning.attention.kernels.reference import linear_recurrence
from mocha_lightning.attention.once import differentiable_once


def lookback_alignment(
    alpha: Float[Tensor, "... time"], energies: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    r"""What MILk attends to in expectation: their equation for beta_{i,j}.

    beta_{i,j} = sum_{k=j}^{T} alpha_{i,k} exp(u_{i,j}) / sum_{l=1}^{k} exp(u_{i,l}): a softmax
    over everything up to where the head stops, for every place where it may stop.

    Both sums are linear recurrences. Written relative to the largest energy so far,
    M_k = max_{l<=k} u_l, every factor and every term lies in [0, 1], so that energies of any size
    are safe in float32:

    - D_k = sum_{l<=k} exp(u_l - M_k) = exp(M_{k-1} - M_k) D_{k-1} + exp(u_k - M_k), at least 1;
    - V_j = sum_{k>=j} alpha_k / D_k exp(M_j - M_k) = alpha_j / D_j + exp(M_j - M_{j+1}) V_{j+1};
    - beta_j = exp(u_j - M_j) V_j.

    Args:
        alpha: alpha_{i,:}, where the monotonic head stops.
        energies: u_{i,:}; padding is -inf. A stop before any valid entry gives 0.

    Returns:
        beta_{i,:}, differentiable once in both arguments.
    """
    check(alpha=alpha, energies=energies)
    rows = as_rows(alpha, energies)
    beta: Tensor = _LookbackAlignment.apply(*rows)  # type: ignore[no-untyped-call]
    return beta.view(alpha.shape)


class _LookbackAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor, energies: Tensor) -> Tensor:
        # A finite stand-in where no entry has come yet: -inf minus itself would be NaN.
        peak = energies.cummax(-1).values.clamp_min(torch.finfo(energies.dtype).min)
        weight = torch.exp(energies - peak)
        carry = F.pad(torch.exp(peak[..., :-1] - peak[..., 1:]), (1, 0))
        total = linear_recurrence(carry, weight)
        total = total.masked_fill(total == 0, torch.inf)
        share = alpha / total
        beta = weight * _from_the_end(carry, share)
        ctx.save_for_backward(weight, carry, total, share, beta)
        return beta

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad_beta: Tensor) -> tuple[Tensor, Tensor]:
        weight, carry, total, share, beta = ctx.saved_tensors
        # The mean of grad_beta under the softmax up to k: d/d alpha_k, and also what that
        # softmax's Jacobian subtracts.
        grad_alpha = linear_recurrence(carry, weight * grad_beta) / total
        grad_energies = grad_beta * beta - weight * _from_the_end(carry, share * grad_alpha)
        return grad_alpha, grad_energies


def _from_the_end(
    carry: Float[Tensor, "... time"], drive: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    """Solve x_j = carry_{j+1} x_{j+1} + drive_j, the adjoint of x_k = carry_k x_{k-1} + drive_k."""
    return linear_recurrence(F.pad(carry[..., 1:], (0, 1)).flip(-1), drive.flip(-1)).flip(-1)
