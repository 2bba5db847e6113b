"""Chunkwise alignments are exact: in float32, for any energies and any chunk."""

import numpy as np
import pytest
import torch
from oracles import alignment as oracle
from torch import Tensor

from attention.series import double, normal, spread
from mocha_lightning.attention.alignment import chunkwise_alignment


def energies_with_gap(time: int) -> Tensor:
    energies = normal(time, seed=7)
    energies[time - time // 3 :] = -torch.inf
    return energies


ENERGIES = {
    "ordinary": lambda time: normal(time, seed=7),
    "wide": lambda time: 30 * normal(time, seed=7),
    "high": lambda time: 1000 + 30 * normal(time, seed=7),
    "low": lambda time: -1000 + 30 * normal(time, seed=7),
    "padded": energies_with_gap,
    "rising": lambda time: torch.arange(time) * 40.0,
    "nothing": lambda time: torch.full((time,), -torch.inf),
}


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize(("time", "chunk_size"), [(1, 1), (1, 4), (2, 2), (3, 8), (50, 1)])
@pytest.mark.parametrize("extra", [0, 1])
def test_chunks_are_exact_in_float32(time: int, chunk_size: int, extra: int, kind: str) -> None:
    check_chunks(time, chunk_size + extra, ENERGIES[kind](time))


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize(("time", "chunk_size"), [(1000, 2), (300, 8), (50, 60)])
def test_long_chunks_are_exact_in_float32(time: int, chunk_size: int, kind: str) -> None:
    check_chunks(time, chunk_size, ENERGIES[kind](time))


def check_chunks(time: int, chunk_size: int, energies: Tensor) -> None:
    alpha, grad = spread(time).requires_grad_(), normal(time, seed=8)
    energies.requires_grad_()
    beta = chunkwise_alignment(alpha, energies, chunk_size)
    beta.backward(grad)
    value = oracle.chunkwise(double(alpha), double(energies), chunk_size)
    grad_alpha, grad_energies = oracle.chunkwise_gradients(
        double(alpha), double(energies), chunk_size, double(grad)
    )
    np.testing.assert_allclose(double(beta), value, rtol=0, atol=1e-6)
    np.testing.assert_allclose(double(alpha.grad), grad_alpha, rtol=0, atol=1e-5)
    np.testing.assert_allclose(double(energies.grad), grad_energies, rtol=0, atol=1e-5)


def test_a_chunk_ends_where_the_head_stops() -> None:
    """And begins w - 1 entries before, or at the memory's first entry."""
    stops = torch.eye(5)
    beta = chunkwise_alignment(stops, torch.zeros(5, 5), 3)
    third = 1 / 3
    expected = [
        [1, 0, 0, 0, 0],
        [0.5, 0.5, 0, 0, 0],
        [third, third, third, 0, 0],
        [0, third, third, third, 0],
        [0, 0, third, third, third],
    ]
    torch.testing.assert_close(beta, torch.tensor(expected))


def test_chunks_of_one_leave_the_alignment_as_it_is() -> None:
    alpha = spread(50)
    assert torch.equal(chunkwise_alignment(alpha, 30 * normal(50), 1), alpha)


def test_a_chunk_without_valid_entries_gives_nothing() -> None:
    alpha = torch.full((6,), 1 / 6, requires_grad=True)
    energies = torch.tensor([0.0, 0.0, *[-torch.inf] * 4], requires_grad=True)
    beta = chunkwise_alignment(alpha, energies, 2)
    torch.testing.assert_close(beta, torch.tensor([0.25, 0.25, 0, 0, 0, 0]))
    beta.backward(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    torch.testing.assert_close(alpha.grad, torch.tensor([1.0, 1.5, 2.0, 0, 0, 0]))
    torch.testing.assert_close(energies.grad, torch.tensor([-1 / 24, 1 / 24, 0, 0, 0, 0]))


@pytest.mark.parametrize("chunk_size", [1, 2, 4, 9, 15])
def test_chunkwise_gradcheck(chunk_size: int) -> None:
    alpha = torch.softmax(normal(2, 9).double(), -1).requires_grad_()
    energies = normal(2, 9, seed=9).double().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda a, u: chunkwise_alignment(a, u, chunk_size), (alpha, energies)
    )


@pytest.mark.parametrize("chunk_size", [2, 15])
def test_chunkwise_gradcheck_with_padding(chunk_size: int) -> None:
    """Padding itself is no number to vary; the entries beside it are."""
    alpha = torch.softmax(normal(2, 9).double(), -1).requires_grad_()
    energies = normal(2, 9, seed=9).double().requires_grad_()
    padding = torch.arange(9) >= torch.tensor([[5], [0]])  # the second has no entry at all
    assert torch.autograd.gradcheck(
        lambda a, u: chunkwise_alignment(a, u.masked_fill(padding, -torch.inf), chunk_size),
        (alpha, energies),
    )


def test_chunks_of_leading_axes_and_of_any_layout() -> None:
    alpha = torch.softmax(normal(4, 2, 40), -1)[..., ::2].transpose(0, 1)
    energies = normal(20, 4, 2).permute(2, 1, 0)
    beta = chunkwise_alignment(alpha, energies, 3)
    for index in np.ndindex(2, 4):
        expected = oracle.chunkwise(double(alpha[index]), double(energies[index]), 3)
        np.testing.assert_allclose(double(beta[index]), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("chunk_size", [0, -1])
def test_a_chunk_holds_at_least_one_entry(chunk_size: int) -> None:
    with pytest.raises(ValueError, match="chunk_size must be at least 1"):
        chunkwise_alignment(spread(5), normal(5), chunk_size)


def test_a_chunk_much_wider_than_the_memory_costs_no_more_than_the_memory() -> None:
    alpha, energies = spread(20), normal(20)
    assert torch.equal(
        chunkwise_alignment(alpha, energies, 10**12), chunkwise_alignment(alpha, energies, 20)
    )
