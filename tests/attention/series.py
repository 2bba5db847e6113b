"""Sequences to test recurrences with, and how exact a gradient must be."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=generator(seed))


def ordinary(time: int, seed: int = 0) -> Tensor:
    """Energies as of a model in training: stops are rare, most p lie between 0.01 and 0.5."""
    return 2 * normal(time, seed=seed) - 2


def one_hot(time: int) -> Tensor:
    return torch.eye(1, time)[0]


def spread(time: int) -> Tensor:
    """A previous alignment of which 30 % has run off the end."""
    return 0.7 * torch.softmax(normal(time, seed=2), -1)


def double(x: Tensor) -> np.ndarray:
    return x.detach().double().numpy()


ENERGIES = {
    "ordinary": lambda time: normal(time, seed=7),
    "wide": lambda time: 30 * normal(time, seed=7),
    "high": lambda time: 1000 + 30 * normal(time, seed=7),
    "low": lambda time: -1000 + 30 * normal(time, seed=7),
    "rising": lambda time: torch.arange(time) * 40.0,
    "flat": torch.zeros,
}
"""Chunk energies that a softmax over many of them must bear."""


def assert_gradients_are_exact(function: Callable[..., Tensor], *inputs: Tensor) -> None:
    """Held against the double precision of the same function, which gradcheck vouches for."""
    grad, found = normal(len(inputs[0]), seed=8), []
    for dtype in (torch.float32, torch.float64):
        leaves = [x.detach().to(dtype).requires_grad_() for x in inputs]
        function(*leaves).backward(grad.to(dtype))
        found.append([leaf.grad for leaf in leaves])
    for single, exact in zip(*found, strict=True):
        assert single.isfinite().all()
        torch.testing.assert_close(single.double(), exact, rtol=0, atol=1e-5)
