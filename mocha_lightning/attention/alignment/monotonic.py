"""Where a monotonic head stops, in expectation."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.alignment.inputs import as_rows, check_alike
from mocha_lightning.attention.kernels import backend_for, operators
from mocha_lightning.attention.kernels.checks import refuse_scan
from mocha_lightning.attention.kernels.reference import linear_recurrence
from mocha_lightning.attention.once import differentiable_once


def monotonic_alignment(
    logits: Float[Tensor, "... time"], previous: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    r"""Expected alignment of a monotonic head: the paper's equation for alpha_{i,j}.

    alpha_{i,j} = p_{i,j} q_{i,j} with p = sigmoid(e) and
    q_{i,j} = (1 - p_{i,j-1}) q_{i,j-1} + alpha_{i-1,j} (section 2.3; eqs. 11 and 23).

    Args:
        logits: e_{i,:}, before the sigmoid, noise already added. Infinities are allowed and mean
            p exactly 0 or 1; padding is -inf.
        previous: alpha_{i-1,:}, the probability of having stopped at each entry one output ago.

    Returns:
        alpha_{i,:}. Its sum is at most that of ``previous``: what is missing ran off the end of
        the memory.

    Raises:
        ValueError: shapes that differ; on a CPU, a previous alignment that is no distribution.
        NotANumberError: on a CPU, a NaN.
        TypeError: integers.
    """
    check_alike(logits=logits, previous=previous)
    rows = as_rows(logits, previous)
    if torch.compiler.is_compiling():
        alpha: Tensor = operators.monotonic(*rows)[0]
    else:
        alpha = _MonotonicAlignment.apply(*rows)  # type: ignore[no-untyped-call]
    return alpha if logits.dim() == 2 else alpha.view(logits.shape)


@torch.no_grad()
def reach_probability(
    logits: Float[Tensor, "... time"], previous: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    """Probability q_{i,j} that the head inspects entry j at output i (alpha / p, undivided).

    Takes what :func:`monotonic_alignment` takes. For diagnostics: carries no gradient.
    """
    check_alike(logits=logits, previous=previous)
    energies, entering = as_rows(logits, previous)
    if energies.device.type == "cpu":
        refuse_scan(energies, entering)
    passing = F.pad(torch.sigmoid(-energies.double())[:, :-1], (1, 0))
    reach = linear_recurrence(passing, entering.double())
    return reach.to(entering.dtype).view(logits.shape)


class _MonotonicAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, previous: Tensor) -> Tensor:
        ctx.backend = backend_for(logits)
        alpha: Tensor
        alpha, select = ctx.backend.monotonic(logits, previous)
        ctx.save_for_backward(select, alpha)
        return alpha

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        select, alpha = ctx.saved_tensors
        by: tuple[Tensor, Tensor] = ctx.backend.monotonic_backward(select, alpha, grad.contiguous())
        return by
