"""The recurrences of monotonic attention, as pure functions, exact in float32.

Shapes: ``...`` any leading axes (batch, heads), ``time`` the memory's axis, w the chunk size.

The paper writes the expected alignment with cumulative products and a division by them. Those
products vanish within a few dozen entries, and a clamp on them silently loses attention mass. The
recurrence underneath is linear and of first order, and is solved here as such: nothing is divided
and nothing subtracted but a probability from 1. Half precision is raised to float32: in bfloat16,
ten outputs lose about 1 % of the mass.

Each function works without gradients, under autocast, and within ``torch.compile``, which sees it
as one operator (``kernels/operators.py``); it may be differentiated once, and refuses to be
differentiated twice. On a CPU it costs nothing to look for
NaN, so it is done there; on a GPU it would have every step wait, so there NaN gives NaN.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.kernels import backend_for, operators
from mocha_lightning.attention.kernels.reference import linear_recurrence
from mocha_lightning.attention.once import differentiable_once


def monotonic_alignment(
    logits: Float[Tensor, "... time"], previous: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    r"""Expected alignment of a monotonic head: the paper's equation for alpha_{i,j}.

    alpha_{i,j} = p_{i,j} q_{i,j} with p = sigmoid(e) and
    q_{i,j} = (1 - p_{i,j-1}) q_{i,j-1} + alpha_{i-1,j} (section 2.3; eq. ``chunk_train4``).

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
    _check(logits=logits, previous=previous)
    rows = _rows(logits, previous)
    if torch.compiler.is_compiling():
        alpha: Tensor = operators.monotonic(*rows)[0]
    else:
        alpha = _MonotonicAlignment.apply(*rows)  # type: ignore[no-untyped-call]
    return alpha.view(logits.shape)


@torch.no_grad()
def reach_probability(
    logits: Float[Tensor, "... time"], previous: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    """Probability q_{i,j} that the head inspects entry j at output i (alpha / p, undivided).

    Takes what :func:`monotonic_alignment` takes. For diagnostics: carries no gradient.
    """
    _check(logits=logits, previous=previous)
    energies, entering = _rows(logits, previous)
    passing = F.pad(torch.sigmoid(-energies.double())[:, :-1], (1, 0))
    reach = linear_recurrence(passing, entering.double())
    return reach.to(entering.dtype).view(logits.shape)


def chunkwise_alignment(
    alpha: Float[Tensor, "... time"], chunk_energies: Float[Tensor, "... time"], chunk_size: int
) -> Float[Tensor, "... time"]:
    r"""What MoChA attends to in expectation: the paper's equation for beta_{i,j}.

    beta_{i,j} = sum_{k=j}^{j+w-1} alpha_{i,k} exp(u_{i,j}) / sum_{l=k-w+1}^{k} exp(u_{i,l})
    (section 2.4; eq. ``chunk_train6``). Energies of any size are safe: where those of a row lie so
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
        NotANumberError: on a CPU, an energy that is NaN or +inf.
        TypeError: integers.
    """
    if chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
    _check(alpha=alpha, chunk_energies=chunk_energies)
    # No chunk holds more than the memory.
    chunk_size = min(chunk_size, chunk_energies.shape[-1])
    rows = _rows(alpha, chunk_energies)
    if torch.compiler.is_compiling():
        beta: Tensor = operators.chunkwise(*rows, chunk_size)
    else:
        beta = _ChunkwiseAlignment.apply(*rows, chunk_size)  # type: ignore[no-untyped-call]
    return beta.view(alpha.shape)


class _MonotonicAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, previous: Tensor) -> Tensor:
        select = torch.sigmoid(logits)
        alpha = backend_for(select).monotonic(select, previous)
        ctx.save_for_backward(select, alpha)
        return alpha

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        select, alpha = ctx.saved_tensors
        return backend_for(select).monotonic_backward(select, alpha, grad.contiguous())


class _ChunkwiseAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor, energies: Tensor, chunk_size: int) -> Tensor:
        ctx.save_for_backward(alpha, energies)
        ctx.chunk_size = chunk_size
        return backend_for(alpha).chunkwise(alpha, energies, chunk_size)

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        alpha, energies = ctx.saved_tensors
        backward = backend_for(alpha).chunkwise_backward
        return *backward(alpha, energies, ctx.chunk_size, grad.contiguous()), None


def _rows(
    first: Float[Tensor, "... time"], second: Float[Tensor, "... time"]
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """All sequences one below the other, of one type, float32 at least."""
    dtype = torch.promote_types(torch.promote_types(first.dtype, second.dtype), torch.float32)
    time = first.shape[-1]
    return (
        first.to(dtype).reshape(-1, time).contiguous(),
        second.to(dtype).reshape(-1, time).contiguous(),
    )


def _check(**tensors: Tensor) -> None:
    (one, first), (other, second) = tensors.items()
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise TypeError(f"{name} must be of floating point numbers, not {tensor.dtype}")
    if first.shape != second.shape or first.dim() == 0 or first.shape[-1] == 0:
        raise ValueError(
            f"{one} and {other} must have one shape (..., time) with time above 0, not "
            f"{tuple(first.shape)} and {tuple(second.shape)}"
        )
    if first.device != second.device:
        raise ValueError(f"{one} is on {first.device} and {other} on {second.device}: move one")
