"""Adaptive chunkwise alignments are exact: in float32, for any energies and any chunks."""

import numpy as np
import pytest
import torch
from oracles import adaptive_chunks as oracle
from torch import Tensor

from attention.series import (
    ENERGIES,
    assert_gradients_are_exact,
    double,
    normal,
    one_hot,
    ordinary,
    spread,
)
from mocha_lightning.attention.alignment import adaptive_chunkwise_alignment, monotonic_alignment


def binary(time: int) -> Tensor:
    """Selection probabilities of exactly 0 or 1, a stop at about one entry in four."""
    return torch.where(normal(time, seed=1) > 0.67, torch.inf, -torch.inf)


def with_padding(x: Tensor) -> Tensor:
    x = x.clone()
    x[len(x) - len(x) // 3 :] = -torch.inf
    return x


LOGITS = {
    "ordinary": ordinary,
    "certain": binary,
    "wide": lambda time: 30 * normal(time, seed=3),
    "hardly": lambda time: torch.full((time,), -9.0),
    "always": lambda time: torch.full((time,), torch.inf),
    "never": lambda time: torch.full((time,), -torch.inf),
}


# -- The oracle for longer memories is itself held against the definition ------------------------


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("logits", LOGITS)
def test_oracle_by_chunks_is_the_triple_sum(logits: str, kind: str) -> None:
    arguments = double(LOGITS[logits](9)), double(ENERGIES[kind](9)), double(spread(9))
    by_definition = oracle.matcha_by_definition(*arguments)
    np.testing.assert_allclose(oracle.matcha_by_chunks(*arguments), by_definition, atol=1e-14)


# -- The alignment -------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [one_hot, spread])
@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("logits", LOGITS)
@pytest.mark.parametrize("time", [1, 2, 60])
def test_value_is_exact_in_float32(time: int, logits: str, kind: str, start) -> None:
    arguments = LOGITS[logits](time), ENERGIES[kind](time), start(time)
    beta = adaptive_chunkwise_alignment(*arguments)
    assert beta.dtype == torch.float32
    expected = oracle.matcha_by_chunks(*map(double, arguments))
    np.testing.assert_allclose(double(beta), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("start", [one_hot, spread])
def test_a_long_memory_is_exact_in_float32(start) -> None:
    arguments = ordinary(300) - 2, 1000 + 30 * normal(300, seed=7), start(300)
    beta = adaptive_chunkwise_alignment(*arguments)
    expected = oracle.matcha_by_chunks(*map(double, arguments))
    np.testing.assert_allclose(double(beta), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("logits", LOGITS)
def test_padding_is_as_a_shorter_memory(logits: str, kind: str) -> None:
    whole, energies = with_padding(LOGITS[logits](30)), with_padding(ENERGIES[kind](30))
    beta = adaptive_chunkwise_alignment(whole, energies, one_hot(30))
    short = adaptive_chunkwise_alignment(whole[:20], energies[:20], one_hot(20))
    torch.testing.assert_close(beta[:20], short, rtol=0, atol=1e-6)
    assert (beta[20:] == 0).all()


def test_mass_is_that_of_the_stops() -> None:
    logits, previous = ordinary(100), spread(100)
    beta = adaptive_chunkwise_alignment(logits, 30 * normal(100), previous)
    alpha = monotonic_alignment(logits, previous)
    assert double(beta).sum() == pytest.approx(double(alpha).sum(), abs=1e-6)


def test_a_chunk_runs_from_the_last_stop_to_this_one_with_both_ends() -> None:
    energies = torch.log(torch.tensor([9.0, 1.0, 2.0, 5.0, 9.0]))
    logits = torch.tensor([0.0, -torch.inf, -torch.inf, torch.inf, torch.inf])
    beta = adaptive_chunkwise_alignment(logits, energies, torch.eye(5)[1])
    torch.testing.assert_close(beta, torch.tensor([0, 1 / 8, 2 / 8, 5 / 8, 0]))


def test_a_scan_that_stands_still_attends_to_that_entry_alone() -> None:
    always, energies = torch.full((5,), torch.inf), 30 * normal(5)
    beta = adaptive_chunkwise_alignment(always, energies, torch.eye(5)[3])
    torch.testing.assert_close(beta, torch.eye(5)[3])


def test_a_chunk_without_valid_entries_gives_nothing() -> None:
    energies = torch.tensor([0.0, -torch.inf, -torch.inf, 0.0], requires_grad=True)
    logits = torch.zeros(4, requires_grad=True)
    beta = adaptive_chunkwise_alignment(logits, energies, torch.eye(4)[1])
    # Stops at 1 and 2 (a half, a quarter) find nothing; a stop at 3 (an eighth) finds itself.
    torch.testing.assert_close(beta, torch.tensor([0, 0, 0, 1 / 8]))
    beta.sum().backward()
    assert logits.grad.isfinite().all()
    assert (energies.grad == 0).all()


@pytest.mark.parametrize("scale", [1, 30])
@pytest.mark.parametrize("time", [1, 2, 7])
def test_gradcheck(time: int, scale: float) -> None:
    logits = ordinary(2 * time).view(2, time).double().requires_grad_()
    energies = (scale * normal(2, time, seed=9)).double().requires_grad_()
    previous = torch.softmax(normal(2, time).double(), -1).requires_grad_()
    padding = torch.arange(time) >= torch.tensor([[time], [(time + 1) // 2]])
    assert torch.autograd.gradcheck(
        lambda e, u, a: adaptive_chunkwise_alignment(
            e.masked_fill(padding, -torch.inf), u.masked_fill(padding, -torch.inf), a
        ),
        (logits, energies, previous),
    )


def test_gradcheck_where_every_probability_is_0_or_1() -> None:
    energies = normal(8, seed=9).double().requires_grad_()
    previous = torch.softmax(normal(8).double(), -1).requires_grad_()
    logits = torch.tensor([-1.0, -1, 1, -1, 1, -1, -1, 1]).double() * torch.inf
    assert torch.autograd.gradcheck(
        lambda u, a: adaptive_chunkwise_alignment(logits, u, a), (energies, previous)
    )


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("logits", LOGITS)
def test_gradient_is_exact_in_float32(logits: str, kind: str) -> None:
    values = with_padding(LOGITS[logits](40)), with_padding(ENERGIES[kind](40)), spread(40)
    assert_gradients_are_exact(adaptive_chunkwise_alignment, *values)


def test_gradient_of_a_long_memory_is_exact_in_float32() -> None:
    values = ordinary(300) - 2, 1000 + 30 * normal(300, seed=7), spread(300)
    assert_gradients_are_exact(adaptive_chunkwise_alignment, *values)


def test_leading_axes_are_independent_and_inputs_stay_as_they_are() -> None:
    logits, energies = normal(2, 3, 12, seed=4), normal(12, 3, 2, seed=5).permute(2, 1, 0)
    previous = torch.softmax(normal(2, 3, 12, seed=6), -1)
    copies = [x.clone() for x in (logits, energies, previous)]
    beta = adaptive_chunkwise_alignment(logits, energies, previous)
    for index in np.ndindex(2, 3):
        arguments = (double(x[index]) for x in (logits, energies, previous))
        expected = oracle.matcha_by_definition(*arguments)
        np.testing.assert_allclose(double(beta[index]), expected, rtol=0, atol=1e-6)
    for now, before in zip((logits, energies, previous), copies, strict=True):
        assert torch.equal(now, before)


def test_half_precision_is_computed_in_float32() -> None:
    logits, energies, previous = ordinary(60).bfloat16(), normal(60).bfloat16(), spread(60)
    beta = adaptive_chunkwise_alignment(logits, energies, previous)
    assert beta.dtype == torch.float32
    exact = adaptive_chunkwise_alignment(logits.float(), energies.float(), previous)
    torch.testing.assert_close(beta, exact)


def test_nothing_quadratic_is_kept_for_the_gradient() -> None:
    """A sequence of outputs would otherwise keep T^2 numbers for each of them."""
    kept = []
    leaves = [x.requires_grad_() for x in (ordinary(50), normal(50), spread(50))]
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: kept.append(x.numel()) or x, lambda x: x
    ):
        adaptive_chunkwise_alignment(*leaves)
    assert sum(kept) <= 10 * 50
