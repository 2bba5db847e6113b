"""The functions of a backend in plain PyTorch, computed in float64: right before fast.

Shapes: ``rows`` independent sequences, ``time`` entries, w the chunk size.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.kernels.checks import refuse_chunks, refuse_scan


def monotonic(
    logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """alpha_j = p_j q_j with q_j = (1 - p_{j-1}) q_{j-1} + previous_j and p = sigmoid(logits).

    Args:
        logits: of p.
        previous: what enters the scan at each entry.

    Returns:
        alpha, and p as the gradient needs it: near 1 a number has no digits left for 1 - p, so
        where the logit is not negative it is p - 1, with the sign of a negative number.

    Raises:
        NotANumberError: on a CPU, a NaN.
        ValueError: on a CPU, a previous alignment that is no distribution.
    """
    if logits.device.type == "cpu":
        refuse_scan(logits, previous)
    select = torch.copysign(torch.sigmoid(-logits.abs()), -logits)
    p = probabilities(select)
    reach = linear_recurrence(F.pad(1 - p[:, :-1], (1, 0)), previous.double())
    return (p * reach).to(logits.dtype), select


def monotonic_backward(
    select: Float[Tensor, "rows time"],
    alpha: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """Gradients by the logits of p, and by ``previous``.

    The adjoint of a linear recurrence is the same recurrence, run from the end:
    g_j = p_j grad_j + (1 - p_j) g_{j+1} is the gradient by what enters at j, and
    alpha_j (1 - p_j) (grad_j - g_{j+1}) the one by the logit of p_j.

    Args:
        select: p, as :func:`monotonic` gave it.
        alpha: what :func:`monotonic` gave.
        grad: the gradient by alpha.
    """
    p, grad = probabilities(select), grad.double()
    entering = linear_recurrence((1 - p).flip(1), (p * grad).flip(1)).flip(1)
    following = F.pad(entering[:, 1:], (0, 1))
    by_logit = alpha.double() * (1 - p) * (grad - following)
    return by_logit.to(select.dtype), entering.to(select.dtype)


def probabilities(select: Float[Tensor, "rows time"]) -> Float[Tensor, "rows time"]:
    """P of what :func:`monotonic` keeps, in float64."""
    signed = select.double()
    return torch.where(torch.signbit(signed), 1 + signed, signed)


def chunkwise(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"], chunk_size: int
) -> Float[Tensor, "rows time"]:
    """beta_j: the sum over chunks k that hold j of alpha_k times the chunk's softmax at j.

    Chunk k holds the entries k - w + 1 to k that exist.

    Args:
        alpha: weights of the chunks.
        energies: -inf where an entry is not to be attended to; a chunk of those alone gives 0.
        chunk_size: w, at most ``time``.
    """
    if energies.device.type == "cpu":
        refuse_chunks(alpha, energies)
    weights = _chunk_softmax(energies, chunk_size)
    return _sum_over_chunks(weights * alpha.double().unsqueeze(-1)).to(alpha.dtype)


def chunkwise_backward(
    alpha: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    chunk_size: int,
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """Gradients by alpha and by the energies.

    Args:
        alpha: as given to :func:`chunkwise`.
        energies: the same.
        chunk_size: w.
        grad: the gradient by beta.
    """
    weights = _chunk_softmax(energies, chunk_size)
    grads = _chunks(grad.double(), chunk_size, 0.0)
    by_alpha = (weights * grads).sum(-1)
    within = weights * (grads - by_alpha.unsqueeze(-1))
    by_energy = _sum_over_chunks(within * alpha.double().unsqueeze(-1))
    return by_alpha.to(alpha.dtype), by_energy.to(alpha.dtype)


def lookback(
    alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"]
) -> Float[Tensor, "rows time"]:
    """beta_j: the sum over k >= j of alpha_k times the softmax up to k at j.

    Both sums are linear recurrences. Written relative to the largest energy so far,
    M_k = max_{l<=k} u_l, every factor and every term lies in [0, 1], so that energies of any size
    are safe:

    - D_k = sum_{l<=k} exp(u_l - M_k) = exp(M_{k-1} - M_k) D_{k-1} + exp(u_k - M_k), at least 1;
    - V_j = sum_{k>=j} alpha_k / D_k exp(M_j - M_k) = alpha_j / D_j + exp(M_j - M_{j+1}) V_{j+1};
    - beta_j = exp(u_j - M_j) V_j.

    Args:
        alpha: weights of the softmaxes.
        energies: -inf where an entry is not to be attended to; a softmax of those alone gives 0.
    """
    if energies.device.type == "cpu":
        refuse_chunks(alpha, energies)
    weight, carry, total = _lookback_softmax(energies)
    beta = weight * _from_the_end(carry, alpha.double() / total)
    return beta.to(alpha.dtype)


def lookback_backward(
    alpha: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """Gradients by alpha and by the energies.

    Args:
        alpha: as given to :func:`lookback`.
        energies: the same.
        grad: the gradient by beta.
    """
    weight, carry, total = _lookback_softmax(energies)
    share, grad = alpha.double() / total, grad.double()
    # The mean of grad under the softmax up to k: d/d alpha_k, and also what that softmax's
    # Jacobian subtracts.
    by_alpha = linear_recurrence(carry, weight * grad) / total
    later, later_means = _from_the_end(carry, share), _from_the_end(carry, share * by_alpha)
    by_energy = weight * (grad * later - later_means)
    return by_alpha.to(alpha.dtype), by_energy.to(alpha.dtype)


def adaptive(
    logits: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    previous: Float[Tensor, "rows time"],
) -> Float[Tensor, "rows time"]:
    """beta_j: the sum over chunks k to l that hold j, of their probability times their softmax.

    For each start k, :func:`monotonic` from k gives the probability of every chunk that begins
    there, and :func:`lookback` on the entries from k on gives their softmaxes. Takes
    O(rows x time^2) memory.

    Args:
        logits: of the probability p_l to stop at l.
        energies: as for :func:`lookback`.
        previous: the probability of each start.
    """
    rows, time = logits.shape
    if logits.device.type == "cpu":
        refuse_scan(logits, previous)
    chunks, _ = monotonic(*_by_start(logits, previous))
    return lookback(chunks, _from_each_start(energies)).view(rows, time, time).sum(1)


def adaptive_backward(
    logits: Float[Tensor, "rows time"],
    energies: Float[Tensor, "rows time"],
    previous: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """Gradients by the logits, by the energies and by ``previous``.

    What :func:`adaptive` computes on the way is computed again: of a sequence of outputs each
    would keep time^2 numbers.

    Args:
        logits: as given to :func:`adaptive`.
        energies: the same.
        previous: the same.
        grad: the gradient by beta.
    """
    rows, time = logits.shape
    chunks, select = monotonic(*_by_start(logits, previous))
    of_each = grad.repeat_interleave(time, 0)
    by_chunk, by_energy = lookback_backward(chunks, _from_each_start(energies), of_each)
    by_logit, by_entering = monotonic_backward(select, chunks, by_chunk)
    by_previous = by_entering.view(rows, time, time).diagonal(dim1=1, dim2=2)
    by_logit, by_energy = (by.view(rows, time, time).sum(1) for by in (by_logit, by_energy))
    return by_logit, by_energy, by_previous.contiguous()


def tanh_energy(
    projected: Float[Tensor, "rows time dim"],
    shift: Float[Tensor, "rows dim"],
    direction: Float[Tensor, " dim"],
) -> Float[Tensor, "rows time"]:
    """direction^T tanh(projected_j + shift)."""
    return torch.add(projected, shift.unsqueeze(1)).tanh_() @ direction


def tanh_energy_backward(
    projected: Float[Tensor, "rows time dim"],
    shift: Float[Tensor, "rows dim"],
    direction: Float[Tensor, " dim"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time dim"], Float[Tensor, "rows dim"], Float[Tensor, " dim"]]:
    """Gradients of :func:`tanh_energy` by each of its arguments.

    The tanh is computed again: to keep it for every output would take U times the keys' memory,
    and to fetch it from there takes as long.
    """
    hidden = torch.add(projected, shift.unsqueeze(1)).tanh_()
    by_projected = grad.unsqueeze(-1) * direction * (1 - hidden * hidden)
    return by_projected, by_projected.sum(1), (grad.unsqueeze(-1) * hidden).sum((0, 1))


def linear_recurrence(
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


def _lookback_softmax(
    energies: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """exp(u_k - M_k), exp(M_{k-1} - M_k) and D_k of :func:`lookback`; D_k = inf for nothing."""
    energies = energies.double()
    # A finite stand-in where no entry has come yet: -inf minus itself would be NaN.
    peak = energies.cummax(1).values.clamp_min(torch.finfo(energies.dtype).min)
    weight = torch.exp(energies - peak)
    carry = F.pad(torch.exp(peak[:, :-1] - peak[:, 1:]), (1, 0))
    total = linear_recurrence(carry, weight)
    return weight, carry, total.masked_fill(total == 0, torch.inf)


def _from_the_end(
    carry: Float[Tensor, "rows time"], drive: Float[Tensor, "rows time"]
) -> Float[Tensor, "rows time"]:
    """Solve x_j = carry_{j+1} x_{j+1} + drive_j, the adjoint of x_k = carry_k x_{k-1} + drive_k."""
    return linear_recurrence(F.pad(carry[:, 1:], (0, 1)).flip(1), drive.flip(1)).flip(1)


def _by_start(
    logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
) -> tuple[Float[Tensor, "starts time"], Float[Tensor, "starts time"]]:
    """A row for each start: the logits, and ``previous`` at that entry alone."""
    time = logits.shape[1]
    return logits.repeat_interleave(time, 0), torch.diag_embed(previous).flatten(0, 1)


def _from_each_start(energies: Float[Tensor, "rows time"]) -> Float[Tensor, "starts time"]:
    """A row for each start: the energies, -inf before it."""
    time = energies.shape[1]
    before = torch.ones(time, time, dtype=torch.bool, device=energies.device).tril(-1)
    return energies.unsqueeze(1).masked_fill(before, -torch.inf).flatten(0, 1)


def _chunk_softmax(
    energies: Float[Tensor, "rows time"], chunk_size: int
) -> Float[Tensor, "rows time chunk"]:
    """Each chunk's softmax, less its own maximum; 0 where nothing is in it."""
    chunks = _chunks(energies.double(), chunk_size, -torch.inf)
    peak = chunks.amax(-1, keepdim=True)
    weights = torch.exp(chunks - peak.masked_fill(peak == -torch.inf, 0.0))
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)


def _chunks(
    x: Float[Tensor, "rows time"], chunk_size: int, fill: float
) -> Float[Tensor, "rows time chunk"]:
    """Chunk k: x_{k-w+1}, ..., x_k; ``fill`` before the memory."""
    return F.pad(x, (chunk_size - 1, 0), value=fill).unfold(-1, chunk_size, 1)


def _sum_over_chunks(chunks: Float[Tensor, "rows time chunk"]) -> Float[Tensor, "rows time"]:
    """The adjoint of :func:`_chunks`: each entry summed over the chunks that hold it."""
    total = chunks[..., -1].clone()
    for back in range(1, chunks.shape[-1]):
        total[:, :-back] += chunks[:, back:, -1 - back]
    return total
