"""Monotonic infinite lookback attention (Arivazhagan et al. 2019)."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mocha_lightning.attention.alignment import _linear_recurrence, _raised
from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.chunkwise import ChunkwiseAttention


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
    beta: Tensor = _LookbackAlignment.apply(  # type: ignore[no-untyped-call]
        _raised(alpha), _raised(energies)
    )
    return beta


class _LookbackAlignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor, energies: Tensor) -> Tensor:
        # A finite stand-in where no entry has come yet: -inf minus itself would be NaN.
        peak = energies.cummax(-1).values.clamp_min(torch.finfo(energies.dtype).min)
        weight = torch.exp(energies - peak)
        carry = F.pad(torch.exp(peak[..., :-1] - peak[..., 1:]), (1, 0))
        total = _linear_recurrence(carry, weight)
        total = total.masked_fill(total == 0, torch.inf)
        share = alpha / total
        beta = weight * _from_the_end(carry, share)
        ctx.save_for_backward(weight, carry, total, share, beta)
        return beta

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_beta: Tensor) -> tuple[Tensor, Tensor]:
        weight, carry, total, share, beta = ctx.saved_tensors
        # The mean of grad_beta under the softmax up to k: d/d alpha_k, and also what that
        # softmax's Jacobian subtracts.
        grad_alpha = _linear_recurrence(carry, weight * grad_beta) / total
        grad_energies = grad_beta * beta - weight * _from_the_end(carry, share * grad_alpha)
        return grad_alpha, grad_energies


def _from_the_end(
    carry: Float[Tensor, "... time"], drive: Float[Tensor, "... time"]
) -> Float[Tensor, "... time"]:
    """Solve x_j = carry_{j+1} x_{j+1} + drive_j, the adjoint of x_k = carry_k x_{k-1} + drive_k."""
    return _linear_recurrence(F.pad(carry[..., 1:], (0, 1)).flip(-1), drive.flip(-1)).flip(-1)


class MILk(ChunkwiseAttention):
    """Soft attention over everything up to where a monotonic head stops (Arivazhagan et al. 2019).

    MoChA with a chunk that begins at the memory's first entry: online, but each output costs as
    many energies as have been read, so that decoding is quadratic. The energies are MoChA's, so
    that the two differ by the chunk alone.

    Where the scan passes the memory's end the context is zero, as with every mechanism that
    scans. Public code for translation (fairseq's ``mass_preservation``) gives that mass to the
    last entry instead, which makes the context a softmax over all of the memory.

    Its arguments are those of :class:`ChunkwiseAttention`.
    """

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """beta_i: :func:`lookback_alignment`."""
        return lookback_alignment(alpha, self.chunk_energies(query, memory))

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch time"]:
        """Softmax over the entries 1 to t_i."""
        return self.chunk_softmax(query, memory, torch.zeros_like(stop), stop)
