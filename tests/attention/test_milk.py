"""Monotonic infinite lookback attention: all that has been read, up to where the head stops."""

import numpy as np
import pytest
import torch
from oracles import adaptive_chunks as oracle
from oracles.alignment import alignment_by_starts
from torch import Tensor

from attention.series import double, normal, one_hot, spread
from attention.setting import (
    MIXED,
    assert_all_cases,
    assert_future_is_unheard,
    assert_hard_is_expected,
    attend,
    build,
    energy_table,
    make_binary,
    padded,
    queries,
    utterance,
)
from mocha_lightning.attention import MILk, MoChA
from mocha_lightning.attention.milk import lookback_alignment


def with_gaps(time: int) -> Tensor:
    """Padding before, after and between."""
    energies = normal(time, seed=7)
    energies[time - time // 3 :] = energies[: time // 4] = energies[time // 2] = -torch.inf
    return energies


ENERGIES = {
    "ordinary": lambda time: normal(time, seed=7),
    "wide": lambda time: 30 * normal(time, seed=7),
    "high": lambda time: 1000 + 30 * normal(time, seed=7),
    "low": lambda time: -1000 + 30 * normal(time, seed=7),
    "rising": lambda time: torch.arange(time) * 40.0,
    "falling": lambda time: torch.arange(time) * -40.0,
    "flat": torch.zeros,
    "huge": lambda time: 1e30 * normal(time, seed=7),
    "padded": with_gaps,
    "nothing": lambda time: torch.full((time,), -torch.inf),
}


# -- The pure function ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("time", [1, 2, 3, 60])
def test_lookback_is_exact_in_float32(time: int, kind: str) -> None:
    alpha, energies = spread(time), ENERGIES[kind](time)
    beta = lookback_alignment(alpha, energies)
    assert beta.dtype == torch.float32
    expected = oracle.milk(double(alpha), double(energies))
    np.testing.assert_allclose(double(beta), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ENERGIES)
def test_gradient_is_exact_in_float32(kind: str) -> None:
    """Held against the double precision of the same function, which gradcheck vouches for."""
    grad = normal(200, seed=8)
    found = []
    for dtype in (torch.float32, torch.float64):
        leaves = [spread(200).to(dtype), ENERGIES[kind](200).to(dtype)]
        alpha, energies = (leaf.requires_grad_() for leaf in leaves)
        lookback_alignment(alpha, energies).backward(grad.to(dtype))
        found.append((alpha.grad, energies.grad))
    for single, exact in zip(*found, strict=True):
        assert single.isfinite().all()
        torch.testing.assert_close(single.double(), exact, rtol=0, atol=1e-5)


@pytest.mark.parametrize("scale", [1, 30])
@pytest.mark.parametrize("time", [1, 2, 9])
def test_gradcheck(time: int, scale: float) -> None:
    alpha = torch.softmax(normal(2, time).double(), -1).requires_grad_()
    energies = (scale * normal(2, time, seed=9)).double().requires_grad_()
    padding = torch.arange(time) >= torch.tensor([[time], [time // 2]])
    assert torch.autograd.gradcheck(
        lambda a, u: lookback_alignment(a, u.masked_fill(padding, -torch.inf)), (alpha, energies)
    )


def test_a_stop_is_a_softmax_over_all_before_it() -> None:
    energies = normal(6)
    for stop in range(6):
        beta = lookback_alignment(torch.eye(6)[stop], energies)
        torch.testing.assert_close(beta[: stop + 1], torch.softmax(energies[: stop + 1], -1))
        assert (beta[stop + 1 :] == 0).all()


def test_mass_is_that_of_the_stops() -> None:
    beta = lookback_alignment(spread(2000), 30 * normal(2000, seed=7))
    assert double(beta).sum() == pytest.approx(0.7, abs=1e-6)
    assert (beta >= 0).all()


def test_leading_axes_are_independent_and_inputs_stay_as_they_are() -> None:
    alpha = torch.softmax(normal(4, 2, 40), -1)[..., ::2].transpose(0, 1)
    energies = normal(20, 4, 2).permute(2, 1, 0)
    copies = alpha.clone(), energies.clone()
    beta = lookback_alignment(alpha, energies)
    for index in np.ndindex(2, 4):
        expected = oracle.milk(double(alpha[index]), double(energies[index]))
        np.testing.assert_allclose(double(beta[index]), expected, rtol=0, atol=1e-6)
    assert torch.equal(alpha, copies[0])
    assert torch.equal(energies, copies[1])


def test_half_precision_is_computed_in_float32() -> None:
    alpha, energies = spread(500), normal(500).bfloat16()
    beta = lookback_alignment(alpha, energies)
    assert beta.dtype == torch.float32
    torch.testing.assert_close(beta, lookback_alignment(alpha, energies.float()))


# -- The mechanism -------------------------------------------------------------------------------


def test_expected_steps_are_those_of_the_equations() -> None:
    module = build(MILk, **MIXED).double()
    memory, asked = utterance(9, dtype=torch.double), queries(1, 6, dtype=torch.double)
    steps = attend(module, module.prepare(*padded([memory])), asked, "expected")
    alpha = double(one_hot(9))
    e = energy_table(module.head.energy, memory, asked, MIXED["offset"])
    u = energy_table(module.chunk_energy, memory, asked)
    for i, step in enumerate(steps):
        alpha = alignment_by_starts(e[i], alpha)
        beta = oracle.milk(alpha, u[i])
        np.testing.assert_allclose(step.logits[0].detach(), e[i], atol=1e-12)
        np.testing.assert_allclose(step.state[0].detach(), alpha, atol=1e-12)
        np.testing.assert_allclose(step.weights[0].detach(), beta, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), beta @ memory.numpy(), atol=1e-12)
    assert 0.01 < alpha.sum() < 0.99


def test_hard_steps_attend_to_all_that_has_been_read() -> None:
    """Through the end of the memory and beyond."""
    module = build(MILk, **MIXED).double()
    utterances = [utterance(12, seed, torch.double) for seed in range(8)]
    asked = queries(8, 30, dtype=torch.double)
    steps = attend(module, module.prepare(*padded(utterances)), asked, "hard")
    found = torch.stack([step.state for step in steps], 1)
    for row, memory in enumerate(utterances):
        own = [query[row : row + 1] for query in asked]
        u = energy_table(module.chunk_energy, memory, own)
        weights, stops = oracle.hard_scan(
            energy_table(module.head.energy, memory, own, MIXED["offset"]),
            lambda i, _, stop, u=u: oracle.softmax_between(u[i], 0, stop),
        )
        assert found[row].tolist() == stops
        np.testing.assert_allclose([s.weights[row].detach() for s in steps], weights, atol=1e-12)
    assert_all_cases(found, 12)


def test_hard_is_expected_where_every_probability_is_0_or_1() -> None:
    assert_hard_is_expected(build(MILk, **MIXED))


def test_it_hears_nothing_after_the_stop() -> None:
    assert_future_is_unheard(build(MILk, **MIXED))


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_it_is_mocha_with_a_chunk_as_long_as_the_memory(mode: str) -> None:
    milk, mocha = build(MILk, **MIXED), build(MoChA, 1, **MIXED, chunk_size=9)
    mocha.load_state_dict(milk.state_dict())
    batch, asked = padded([utterance(9), utterance(5, 1)]), queries(2, 8)
    pairs = zip(
        attend(milk, milk.prepare(*batch), asked, mode),
        attend(mocha, mocha.prepare(*batch), asked, mode),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a.weights, b.weights, rtol=0, atol=1e-6)


def test_hard_steps_evaluate_no_chunk_energy_after_the_stop() -> None:
    module = make_binary(build(MILk))
    evaluated = []
    module.chunk_energy.register_forward_pre_hook(
        lambda _, inputs: evaluated.append(inputs[1].projected.shape[1])
    )
    steps = attend(module, module.prepare(*padded([utterance(12)])), queries(1, 30), "hard")
    stops = [step.state.item() for step in steps]
    assert evaluated == [stop + 1 if stop < 12 else 0 for stop in stops]
    assert stops[0] < stops[-1] == 12
