"""Sequences to test recurrences with."""

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
