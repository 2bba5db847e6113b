"""The recurrences of monotonic attention, as pure functions, exact in float32.

Shapes: ``...`` any leading axes (batch, heads), ``time`` the memory's axis, w the chunk size.

The paper writes the expected alignment with cumulative products and a division by them. Those
products vanish within a few dozen entries, and a clamp on them silently loses attention mass. The
recurrence underneath is linear and of first order, so it is solved here by a doubling scan, which
only ever multiplies and adds numbers in [0, 1]. Half precision is raised to float32: in bfloat16,
ten outputs lose about 1 % of the mass.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable


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
        the memory. Differentiable once in both arguments.
    """
    alignment: Tensor = _MonotonicAlignment.apply(  # type: ignore[no-untyped-call]
        _raised(logits), _raised(previous)
    )
    return alignment


@torch.no_grad()
def reach_probability(
    logits: Float[Tensor, "... time"], previous: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    """Probability q_{i,j} that the head inspects entry j at output i (alpha / p, undivided).

    Takes what :func:`monotonic_alignment` takes. For diagnostics: carries no gradient.
    """
    return _linear_recurrence(_shift_right(torch.sigmoid(-_raised(logits))), _raised(previous))


def chunkwise_alignment(
    alpha: Float[Tensor, "... time"], chunk_energies: Float[Tensor, "... time"], chunk_size: int
) -> Float[Tensor, "... time"]:
    r"""What MoChA attends to in expectation: the paper's equation for beta_{i,j}.

    beta_{i,j} = sum_{k=j}^{j+w-1} alpha_{i,k} exp(u_{i,j}) / sum_{l=k-w+1}^{k} exp(u_{i,l})
    (section 2.4; eq. ``chunk_train6``). Each chunk's softmax subtracts that chunk's own maximum,
    so energies of any size are safe. A chunk that begins before the memory holds what exists.

    Args:
        alpha: alpha_{i,:}, where the monotonic head stops.
        chunk_energies: u_{i,:}; padding is -inf. A chunk without a valid entry gives 0.
        chunk_size: w, at least 1.

    Returns:
        beta_{i,:}, differentiable once in ``alpha`` and ``chunk_energies``.

    Raises:
        ValueError: a chunk size below 1.
    """
    if chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
    # No chunk holds more than the memory.
    chunk_size = min(chunk_size, chunk_energies.shape[-1])
    beta: Tensor = _ChunkwiseAlignment.apply(  # type: ignore[no-untyped-call]
        _raised(alpha), _raised(chunk_energies), chunk_size
    )
    return beta


class _MonotonicAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, previous: Tensor) -> Tensor:
        select, skip = torch.sigmoid(logits), torch.sigmoid(-logits)
        reach = _linear_recurrence(_shift_right(skip), previous)
        ctx.save_for_backward(select, skip, reach)
        return select * reach

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_alpha: Tensor) -> tuple[Tensor, Tensor]:
        select, skip, reach = ctx.saved_tensors
        # The adjoint of a linear recurrence is the same recurrence, run from the end.
        grad_reach = _linear_recurrence(skip.flip(-1), (grad_alpha * select).flip(-1)).flip(-1)
        # d reach_{j+1} / d skip_j = reach_j, and skip = 1 - select.
        grad_select = reach * (grad_alpha - _shift_left(grad_reach))
        return grad_select * select * skip, grad_reach


class _ChunkwiseAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor, chunk_energies: Tensor, chunk_size: int) -> Tensor:
        chunks = _chunks_ending_at(chunk_energies, chunk_size, fill=-torch.inf)
        peak = chunks.amax(0)
        weights = torch.exp(chunks - peak.masked_fill(peak == -torch.inf, 0.0))
        total = weights.sum(0)
        weights /= total.masked_fill(total == 0, 1.0)
        ctx.save_for_backward(alpha, weights)
        return _sum_over_chunks(weights * alpha)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_beta: Tensor) -> tuple[Tensor, Tensor, None]:
        alpha, weights = ctx.saved_tensors
        grad_chunks = _chunks_ending_at(grad_beta, len(weights), fill=0.0)
        grad_alpha = (weights * grad_chunks).sum(0)
        grad_energies = _sum_over_chunks(weights * alpha * (grad_chunks - grad_alpha))
        return grad_alpha, grad_energies, None


def _raised(x: Float[Tensor, "... time"]) -> Float[Tensor, "... time"]:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _linear_recurrence(
    factor: Float[Tensor, "... time"], drive: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    """Solve x_j = factor_j x_{j-1} + drive_j with x_{-1} = 0, in log2(time) doubling steps.

    After the step of span d, entry j holds the solution over the last 2d entries before it.
    """
    factor, solution = factor.clone(), drive.clone()
    span, time = 1, drive.shape[-1]
    while span < time:
        solution[..., span:] += factor[..., span:] * solution[..., :-span]
        factor[..., span:] = factor[..., span:] * factor[..., :-span]
        span *= 2
    return solution


def _shift_right(x: Float[Tensor, "... time"]) -> Float[Tensor, "... time"]:
    return F.pad(x[..., :-1], (1, 0))


def _shift_left(x: Float[Tensor, "... time"]) -> Float[Tensor, "... time"]:
    return F.pad(x[..., 1:], (0, 1))


def _chunks_ending_at(
    x: Float[Tensor, "... time"], chunk_size: int, fill: float
) -> Float[Tensor, "chunk ... time"]:
    """Chunk k, laid along the first axis: x_{k-w+1}, ..., x_k; ``fill`` before the memory."""
    return F.pad(x, (chunk_size - 1, 0), value=fill).unfold(-1, chunk_size, 1).movedim(-1, 0)


def _sum_over_chunks(chunks: Float[Tensor, "chunk ... time"]) -> Float[Tensor, "... time"]:
    """The adjoint of :func:`_chunks_ending_at`: each entry summed over the chunks that hold it."""
    total = chunks[-1].clone()
    for back in range(1, len(chunks)):
        total[..., :-back] += chunks[-1 - back, ..., back:]
    return total
