"""The backends' functions as operators that ``torch.compile`` can put into a graph.

Outside a graph the alignments are ``autograd.Function``s of their own, for what an operator costs
at every output: the monotonic alignment of 16 sequences of 100 entries took 59 microseconds where
the function took 21, and with its gradient 252 where that took 137 (one core of a CPU).
"""

from typing import Any

import torch
from torch import Tensor
from torch.library import custom_op

from mocha_lightning.attention.kernels import backend_for

NAMESPACE = "mocha_lightning"


@custom_op(f"{NAMESPACE}::monotonic", mutates_args=())
def monotonic(logits: Tensor, previous: Tensor) -> tuple[Tensor, Tensor]:
    """The alignment alpha, and p in the form that its gradient needs (``reference.py``)."""
    return backend_for(logits).monotonic(logits, previous)


@custom_op(f"{NAMESPACE}::monotonic_backward", mutates_args=())
def monotonic_backward(select: Tensor, alpha: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients by the logits and by the previous alignment."""
    return backend_for(select).monotonic_backward(select, alpha, grad.contiguous())


@custom_op(f"{NAMESPACE}::chunkwise", mutates_args=())
def chunkwise(alpha: Tensor, energies: Tensor, chunk_size: int) -> Tensor:
    """What is attended to, beta."""
    return backend_for(alpha).chunkwise(alpha, energies, chunk_size)


@custom_op(f"{NAMESPACE}::chunkwise_backward", mutates_args=())
def chunkwise_backward(
    alpha: Tensor, energies: Tensor, chunk_size: int, grad: Tensor
) -> tuple[Tensor, Tensor]:
    """Gradients by alpha and by the energies."""
    backward = backend_for(alpha).chunkwise_backward
    return backward(alpha, energies, chunk_size, grad.contiguous())


@custom_op(f"{NAMESPACE}::lookback", mutates_args=())
def lookback(alpha: Tensor, energies: Tensor) -> Tensor:
    """What is attended to, beta."""
    return backend_for(alpha).lookback(alpha, energies)


@custom_op(f"{NAMESPACE}::lookback_backward", mutates_args=())
def lookback_backward(alpha: Tensor, energies: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients by alpha and by the energies."""
    return backend_for(alpha).lookback_backward(alpha, energies, grad.contiguous())


@custom_op(f"{NAMESPACE}::adaptive", mutates_args=())
def adaptive(logits: Tensor, energies: Tensor, previous: Tensor) -> Tensor:
    """What is attended to, beta."""
    return backend_for(logits).adaptive(logits, energies, previous)


@custom_op(f"{NAMESPACE}::adaptive_backward", mutates_args=())
def adaptive_backward(
    logits: Tensor, energies: Tensor, previous: Tensor, grad: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients by the logits, by the energies and by the previous alignment."""
    backward = backend_for(logits).adaptive_backward
    return backward(logits, energies, previous, grad.contiguous())


@monotonic.register_fake
def _(logits: Tensor, previous: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(logits), torch.empty_like(logits)


@monotonic_backward.register_fake
def _(select: Tensor, alpha: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(select), torch.empty_like(select)


@chunkwise.register_fake
def _(alpha: Tensor, energies: Tensor, chunk_size: int) -> Tensor:
    return torch.empty_like(alpha)


@chunkwise_backward.register_fake
def _(alpha: Tensor, energies: Tensor, chunk_size: int, grad: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(alpha), torch.empty_like(alpha)


@lookback.register_fake
def _(alpha: Tensor, energies: Tensor) -> Tensor:
    return torch.empty_like(alpha)


@lookback_backward.register_fake
def _(alpha: Tensor, energies: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(alpha), torch.empty_like(alpha)


@adaptive.register_fake
def _(logits: Tensor, energies: Tensor, previous: Tensor) -> Tensor:
    return torch.empty_like(logits)


@adaptive_backward.register_fake
def _(
    logits: Tensor, energies: Tensor, previous: Tensor, grad: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return torch.empty_like(logits), torch.empty_like(logits), torch.empty_like(logits)


def _keep_monotonic(ctx: Any, inputs: tuple[Tensor, Tensor], output: tuple[Tensor, Tensor]) -> None:
    alpha, select = output
    ctx.save_for_backward(select, alpha)
    ctx.mark_non_differentiable(select)


def _monotonic_gradient(ctx: Any, grad: Tensor, _: Tensor | None) -> tuple[Tensor, Tensor]:
    by: tuple[Tensor, Tensor] = monotonic_backward(*ctx.saved_tensors, grad)
    return by


def _keep_chunkwise(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: Tensor) -> None:
    alpha, energies, ctx.chunk_size = inputs
    ctx.save_for_backward(alpha, energies)


def _chunkwise_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    return *chunkwise_backward(*ctx.saved_tensors, ctx.chunk_size, grad), None


def _keep_inputs(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _lookback_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    by: tuple[Tensor, Tensor] = lookback_backward(*ctx.saved_tensors, grad)
    return by


def _adaptive_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    by: tuple[Tensor, Tensor, Tensor] = adaptive_backward(*ctx.saved_tensors, grad)
    return by


monotonic.register_autograd(_monotonic_gradient, setup_context=_keep_monotonic)
chunkwise.register_autograd(_chunkwise_gradient, setup_context=_keep_chunkwise)
lookback.register_autograd(_lookback_gradient, setup_context=_keep_inputs)
adaptive.register_autograd(_adaptive_gradient, setup_context=_keep_inputs)
