"""Monotonic alignments are exact: in float32, at any length, for any energies."""

import numpy as np
import pytest
import torch
from oracles import alignment as oracle
from torch import Tensor

from attention.series import double, normal, one_hot, ordinary, spread
from mocha_lightning.attention.alignment import (
    chunkwise_alignment,
    monotonic_alignment,
    reach_probability,
)

LENGTHS = [1, 2, 3, 50, 1000, 10_000]


def binary(time: int, value: float) -> Tensor:
    """Selection probabilities of exactly 0 or 1, a stop at about one entry in four."""
    return torch.where(normal(time, seed=1) > 0.67, value, -value)


def padded(time: int) -> Tensor:
    logits = ordinary(time)
    logits[time - time // 3 :] = -torch.inf
    return logits


LOGITS = {
    "ordinary": ordinary,
    "certain": lambda time: binary(time, torch.inf),
    "large": lambda time: binary(time, 1e4),
    "wide": lambda time: 30 * normal(time),
    "never": lambda time: torch.full((time,), -torch.inf),
    "always": lambda time: torch.full((time,), torch.inf),
    "hardly": lambda time: torch.full((time,), -9.0),
    "padded": padded,
}


# -- The oracle for long memories is itself held against the definition --------------------------


@pytest.mark.parametrize("time", [1, 2, 3, 8])
@pytest.mark.parametrize("kind", LOGITS)
def test_oracle_recurrence_is_the_process_played_out(kind: str, time: int) -> None:
    logits, previous = double(LOGITS[kind](time)), double(spread(time))
    by_definition = oracle.alignment_by_outcomes(logits, previous)
    alpha, _, _ = oracle.alignment_by_recurrence(logits, previous, np.ones(time))
    np.testing.assert_allclose(alpha, by_definition, atol=1e-14)
    np.testing.assert_allclose(oracle.alignment_by_starts(logits, previous), alpha, atol=1e-14)


@pytest.mark.parametrize("kind", ["ordinary", "padded", "wide"])
def test_oracle_gradient_is_the_slope_of_the_definition(kind: str) -> None:
    time, tiny = 7, 1e-6
    logits, previous, grad = double(LOGITS[kind](time)), double(spread(time)), double(normal(time))
    _, grad_logits, grad_previous = oracle.alignment_by_recurrence(logits, previous, grad)
    for j, step in enumerate(tiny * np.eye(time)):
        by_logits = [oracle.alignment_by_starts(logits + sign * step, previous) for sign in (1, -1)]
        by_start = [oracle.alignment_by_starts(logits, previous + sign * step) for sign in (1, -1)]
        slopes = [(grad @ (up - down)) / (2 * tiny) for up, down in (by_logits, by_start)]
        np.testing.assert_allclose([grad_logits[j], grad_previous[j]], slopes, atol=1e-8)


# -- Monotonic alignment -------------------------------------------------------------------------


@pytest.mark.parametrize("start", [one_hot, spread])
@pytest.mark.parametrize("kind", LOGITS)
@pytest.mark.parametrize("time", LENGTHS)
def test_value_and_gradient_are_exact_in_float32(time: int, kind: str, start) -> None:
    logits = LOGITS[kind](time).requires_grad_()
    previous, grad = start(time).requires_grad_(), normal(time, seed=3)
    alpha = monotonic_alignment(logits, previous)
    alpha.backward(grad)
    value, grad_logits, grad_previous = oracle.alignment_by_recurrence(
        double(logits), double(previous), double(grad)
    )
    assert alpha.dtype == torch.float32
    np.testing.assert_allclose(double(alpha), value, rtol=0, atol=1e-6)
    np.testing.assert_allclose(double(logits.grad), grad_logits, rtol=0, atol=1e-5)
    np.testing.assert_allclose(double(previous.grad), grad_previous, rtol=0, atol=1e-5)


@pytest.mark.parametrize("time", [50, 2000])
def test_fifty_outputs_keep_their_mass_and_their_gradient(time: int) -> None:
    steps = [(ordinary(time, seed=i) + 1).requires_grad_() for i in range(50)]
    alphas = [one_hot(time)]
    for logits in steps:
        alphas.append(monotonic_alignment(logits, alphas[-1]))
    grad = normal(time)
    alphas[-1].backward(grad)

    expected = [double(alphas[0])]
    for logits in steps:
        alpha, _, _ = oracle.alignment_by_recurrence(double(logits), expected[-1], double(grad))
        expected.append(alpha)
    np.testing.assert_allclose(double(alphas[-1]), expected[-1], rtol=0, atol=1e-6)
    masses = [double(alpha).sum() for alpha in alphas]
    np.testing.assert_allclose(masses, [alpha.sum() for alpha in expected], rtol=0, atol=2e-6)
    assert (masses[-1] < 0.9) == (time == 50)  # the short memory's end was reached

    grad_alpha = double(grad)
    for logits, previous in reversed(list(zip(steps, expected[:-1], strict=True))):
        _, grad_logits, grad_alpha = oracle.alignment_by_recurrence(
            double(logits), previous, grad_alpha
        )
        np.testing.assert_allclose(double(logits.grad), grad_logits, rtol=0, atol=1e-5)


@pytest.mark.parametrize("time", [50, 2000])
def test_no_mass_is_lost_where_the_last_entry_always_stops(time: int) -> None:
    alpha = one_hot(time)
    for i in range(50):
        logits = ordinary(time, seed=i)
        logits[-1] = torch.inf
        alpha = monotonic_alignment(logits, alpha)
    assert double(alpha).sum() == pytest.approx(1, abs=2e-6)


@pytest.mark.parametrize("kind", LOGITS)
def test_mass_never_grows(kind: str) -> None:
    previous = spread(1000)
    alpha = monotonic_alignment(LOGITS[kind](1000), previous)
    assert (alpha >= 0).all()
    assert double(alpha).sum() <= double(previous).sum() + 1e-6


def test_scan_begins_at_the_entry_of_the_last_stop() -> None:
    """The entry of the last stop may be chosen again; what comes before it may not."""
    previous = torch.tensor([0.0, 1.0, 0.0, 0.0])
    alpha = monotonic_alignment(torch.tensor([9.0, 0.0, -torch.inf, torch.inf]), previous)
    torch.testing.assert_close(alpha, torch.tensor([0.0, 0.5, 0.0, 0.5]))


def test_leading_axes_are_independent_sequences() -> None:
    logits = torch.stack([LOGITS[kind](50) for kind in LOGITS]).view(2, 2, 2, 50)
    previous = torch.softmax(normal(2, 2, 2, 50), -1)
    together = monotonic_alignment(logits, previous)
    for index in np.ndindex(2, 2, 2):
        torch.testing.assert_close(
            together[index], monotonic_alignment(logits[index], previous[index])
        )


def test_memory_layout_does_not_matter() -> None:
    logits, previous = normal(50, 6, seed=4).T, torch.softmax(normal(6, 100), -1)[:, ::2]
    assert not logits.is_contiguous()
    assert not previous.is_contiguous()
    leaf, grad = logits.detach().requires_grad_(), normal(50, 6, seed=5).T
    alpha = monotonic_alignment(leaf, previous)
    alpha.backward(grad)
    straight = logits.contiguous().requires_grad_()
    expected = monotonic_alignment(straight, previous.contiguous())
    expected.backward(grad.contiguous())
    torch.testing.assert_close(alpha, expected)
    torch.testing.assert_close(leaf.grad, straight.grad)


def test_inputs_stay_as_they_are() -> None:
    logits, previous, energies = ordinary(50), spread(50), normal(50, seed=6)
    logits[40:] = energies[40:] = -torch.inf
    copies = [x.clone() for x in (logits, previous, energies)]
    leaves = [x.requires_grad_() for x in (logits, previous, energies)]
    alpha = monotonic_alignment(logits, previous)
    grad = normal(50)
    grad_copy = grad.clone()
    alpha_before = alpha.detach().clone()
    chunkwise_alignment(alpha, energies, 3).backward(grad)
    reach_probability(logits, previous)
    for now, before in zip([*leaves, grad, alpha], [*copies, grad_copy, alpha_before], strict=True):
        assert torch.equal(now, before)


@pytest.mark.parametrize("time", [1, 2, 9])
def test_monotonic_gradcheck(time: int) -> None:
    logits = ordinary(2 * time).view(2, time).double().requires_grad_()
    previous = torch.softmax(normal(2, time).double(), -1).requires_grad_()
    assert torch.autograd.gradcheck(monotonic_alignment, (logits, previous))


def test_padding_has_no_gradient() -> None:
    logits = padded(30).requires_grad_()
    monotonic_alignment(logits, spread(30)).sum().backward()
    assert (logits.grad[20:] == 0).all()
    assert (logits.grad[:20] != 0).all()


def test_a_long_memory_of_small_probabilities_loses_nothing() -> None:
    """In float32, 1 - p would be rounded in the same direction at each of ten thousand entries."""
    alpha = monotonic_alignment(torch.full((10_000,), -11.0), one_hot(10_000))
    p = torch.sigmoid(torch.tensor(-11.0)).double().item()
    assert double(alpha).sum() == pytest.approx(1 - (1 - p) ** 10_000, rel=1e-6)


@pytest.mark.parametrize("kind", ["ordinary", "padded", "certain"])
def test_reach_is_the_probability_of_inspecting_an_entry(kind: str) -> None:
    logits, previous = LOGITS[kind](50), spread(50)
    reach = reach_probability(logits, previous)
    expected = oracle.reach_by_starts(double(logits), double(previous))
    np.testing.assert_allclose(double(reach), expected, rtol=0, atol=1e-6)
    alpha, possible = monotonic_alignment(logits, previous), logits > -torch.inf
    torch.testing.assert_close(reach[possible], (alpha / torch.sigmoid(logits))[possible])


def test_half_precision_is_computed_in_float32() -> None:
    """As under autocast: energies come in bfloat16, and the alignment must keep its mass."""
    logits, previous = ordinary(2000).bfloat16(), spread(2000)
    logits[-1] = torch.inf
    alpha = monotonic_alignment(logits, previous)
    assert alpha.dtype == torch.float32
    torch.testing.assert_close(alpha, monotonic_alignment(logits.float(), previous))
    assert double(alpha).sum() == pytest.approx(0.7, abs=1e-6)
    energies = normal(2000).bfloat16()
    beta = chunkwise_alignment(alpha, energies, 4)
    assert beta.dtype == torch.float32
    torch.testing.assert_close(beta, chunkwise_alignment(alpha, energies.float(), 4))


@pytest.mark.parametrize("logit", [8.0, 12.0, 16.6, 20.0])
def test_probabilities_near_1_lose_nothing_over_many_outputs(logit: float) -> None:
    logits, alpha = torch.full((1, 100), logit), torch.zeros(1, 100)
    alpha[0, 0] = 1
    exact = alpha.double()
    for _ in range(200):
        alpha = monotonic_alignment(logits, alpha)
        exact = monotonic_alignment(logits.double(), exact)
    np.testing.assert_allclose(double(alpha), double(exact), rtol=0, atol=1e-6)
