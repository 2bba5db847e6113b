"""Lookback alignments are exact: in float32, for any energies."""

import numpy as np
import pytest
import torch
from oracles import adaptive_chunks as oracle
from torch import Tensor

from attention.series import ENERGIES as EVERYWHERE
from attention.series import assert_gradients_are_exact, double, normal, spread
from mocha_lightning.attention.alignment import lookback_alignment


def with_gaps(time: int) -> Tensor:
    """Padding before, after and between."""
    energies = normal(time, seed=7)
    energies[time - time // 3 :] = energies[: time // 4] = energies[time // 2] = -torch.inf
    return energies


ENERGIES = {
    **EVERYWHERE,
    "falling": lambda time: torch.arange(time) * -40.0,
    "huge": lambda time: 1e30 * normal(time, seed=7),
    "padded": with_gaps,
    "nothing": lambda time: torch.full((time,), -torch.inf),
}


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("time", [1, 2, 3, 60])
def test_lookback_is_exact_in_float32(time: int, kind: str) -> None:
    alpha, energies = spread(time), ENERGIES[kind](time)
    beta = lookback_alignment(alpha, energies)
    assert beta.dtype == torch.float32
    expected = oracle.milk(double(alpha), double(energies))
    np.testing.assert_allclose(double(beta), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ENERGIES)
@pytest.mark.parametrize("time", [200, 10_000])
def test_gradient_is_exact_in_float32(time: int, kind: str) -> None:
    assert_gradients_are_exact(lookback_alignment, spread(time), ENERGIES[kind](time))


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
