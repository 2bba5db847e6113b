"""All backends that this machine has compute what the reference does."""

import os

import numpy as np
import pytest
import torch
from torch import Tensor

from attention.series import double, normal
from mocha_lightning.attention.kernels import FASTEST, Backend, backend_for, reference

SHAPES = [(1, 1), (3, 7), (8, 8), (5, 9), (2, 16), (2, 32), (3, 47), (4, 1003), (2, 10_000)]
"""Shorter than the entries that are solved together, as long, and not their multiple."""
CHUNK_SIZES = [1, 2, 3, 5, 8, 11, 64]


GPU = "cuda" in FASTEST and torch.cuda.is_available()
INTERPRETED = "cuda" in FASTEST and "TRITON_INTERPRET" in os.environ
BACKENDS = {
    "compiled for the CPU": (FASTEST.get("cpu"), "cpu"),
    **({"Triton on a GPU": (FASTEST["cuda"], "cuda")} if GPU else {}),
    **({"Triton, interpreted": (FASTEST["cuda"], "cpu")} if INTERPRETED else {}),
}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> tuple[Backend, str]:
    return BACKENDS[request.param]


@pytest.mark.skipif(not GPU, reason="no GPU with Triton: what runs there is not tested here")
def test_a_gpus_tensors_have_its_backend() -> None:
    assert backend_for(torch.zeros(2, device="cuda")) is FASTEST["cuda"]


def same(found: Tensor, expected: Tensor, atol: float) -> None:
    np.testing.assert_allclose(double(found.cpu()), double(expected), rtol=0, atol=atol)


def logits(rows: int, time: int) -> Tensor:
    """Ordinary ones, and whole runs whose p is exactly 0 and exactly 1."""
    e = 2 * normal(rows, time) - 2
    where = normal(rows, time, seed=5)
    return e.masked_fill(where > 2, torch.inf).masked_fill(where < -1, -torch.inf)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_monotonic(backend: tuple[Backend, str], shape: tuple[int, int]) -> None:
    module, device = backend
    previous, grad = torch.softmax(normal(*shape, seed=1), -1), normal(*shape, seed=2)
    alpha, select = module.monotonic(logits(*shape).to(device), previous.to(device))
    same(reference.probabilities(select.cpu()), torch.sigmoid(logits(*shape).double()), 1e-7)
    expected, of_reference = reference.monotonic(logits(*shape).double(), previous.double())
    same(alpha, expected, 1e-7)
    np.testing.assert_allclose(double(alpha.cpu()).sum(1), double(expected).sum(1), rtol=2e-7)
    by = module.monotonic_backward(select, alpha, grad.to(device))
    by_reference = reference.monotonic_backward(of_reference, expected, grad.double())
    for found, wanted in zip(by, by_reference, strict=True):
        same(found, wanted, 1e-6)


def energies(kind: str, rows: int, time: int) -> Tensor:
    u = {
        "ordinary": normal(rows, time),
        "wide": 30 * normal(rows, time),
        "very wide": 1000 * normal(rows, time),
        "far from zero": normal(rows, time) + 1000,
        "wide in one row": normal(rows, time) * torch.logspace(0, 3, rows).unsqueeze(1),
    }[kind]
    u[:, time - time // 3 :] = -torch.inf
    u[0] = -torch.inf
    return u


KINDS = ["ordinary", "wide", "very wide", "far from zero", "wide in one row"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (4, 1003)], ids=str)
def test_chunkwise(
    backend: tuple[Backend, str], shape: tuple[int, int], chunk_size: int, kind: str
) -> None:
    module, device = backend
    size = min(chunk_size, shape[1])
    u, alpha = energies(kind, *shape), torch.softmax(normal(*shape, seed=1), -1)
    grad = normal(*shape, seed=2)
    given = alpha.to(device), u.to(device), size
    doubled = alpha.double(), u.double(), size
    same(module.chunkwise(*given), reference.chunkwise(*doubled), 1e-6)
    by = module.chunkwise_backward(*given, grad.to(device))
    by_reference = reference.chunkwise_backward(*doubled, grad.double())
    for found, wanted in zip(by, by_reference, strict=True):
        same(found, wanted, 2e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_lookback(backend: tuple[Backend, str], shape: tuple[int, int], kind: str) -> None:
    module, device = backend
    given = torch.softmax(normal(*shape, seed=1), -1), energies(kind, *shape)
    grad = normal(*shape, seed=2)
    on_device, doubled = [x.to(device) for x in given], [x.double() for x in given]
    same(module.lookback(*on_device), reference.lookback(*doubled), 1e-6)
    by = module.lookback_backward(*on_device, grad.to(device))
    by_reference = reference.lookback_backward(*doubled, grad.double())
    for found, wanted in zip(by, by_reference, strict=True):
        same(found, wanted, 2e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2, 32), (2, 33), (3, 150)], ids=str)
def test_adaptive(backend: tuple[Backend, str], shape: tuple[int, int], kind: str) -> None:
    module, device = backend
    given = logits(*shape), energies(kind, *shape), torch.softmax(normal(*shape, seed=1), -1)
    grad = normal(*shape, seed=2)
    on_device, doubled = [x.to(device) for x in given], [x.double() for x in given]
    same(module.adaptive(*on_device), reference.adaptive(*doubled), 1e-6)
    by = module.adaptive_backward(*on_device, grad.to(device))
    by_reference = reference.adaptive_backward(*doubled, grad.double())
    for found, wanted in zip(by, by_reference, strict=True):
        same(found, wanted, 5e-6)


def test_float32_has_the_fastest_and_float64_the_reference() -> None:
    assert backend_for(torch.zeros(2)) is FASTEST["cpu"]
    assert backend_for(torch.zeros(2).double()) is reference
    assert backend_for(torch.zeros(2, device="meta")) is reference


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 7, 5), (4, 50, 64)], ids=str)
def test_tanh_energy(backend: tuple[Backend, str], shape: tuple[int, int, int]) -> None:
    module, device = backend
    rows, time, dim = shape
    given = 3 * normal(*shape), normal(rows, dim, seed=3), normal(dim, seed=1) / dim**0.5
    energies = module.tanh_energy(*(each.to(device) for each in given))
    same(energies, reference.tanh_energy(*(each.double() for each in given)), 1e-6)
    grad = normal(rows, time, seed=2)
    by = module.tanh_energy_backward(*(each.to(device) for each in (*given, grad)))
    by_reference = reference.tanh_energy_backward(*(each.double() for each in (*given, grad)))
    for found, wanted in zip(by, by_reference, strict=True):
        same(found, wanted, 1e-6 * max(1.0, wanted.abs().max().item()))
