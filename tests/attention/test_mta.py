"""Monotonic truncated attention is Miao et al. (2020), eqs. 28 to 33."""

import math

import numpy as np
import pytest
import torch
from oracles import adaptive_chunks as oracle

from attention.claims import (
    assert_expected_steps,
    assert_future_is_unheard,
    assert_hard_steps,
    stops_of,
)
from attention.series import double, normal, ordinary
from attention.setting import MIXED, attend, build, make_binary, padded, queries, utterance
from mocha_lightning.attention import MTA, MonotonicAttention
from mocha_lightning.attention.mta import truncation_alignment

MODES = ("expected", "hard")

LOGITS = {
    "ordinary": ordinary,
    "wide": lambda time: 30 * normal(time, seed=3),
    "certain": lambda time: torch.where(normal(time, seed=1) > 0.67, torch.inf, -torch.inf),
    "hardly": lambda time: torch.full((time,), -9.0),
}


@pytest.mark.parametrize("kind", LOGITS)
@pytest.mark.parametrize("time", [1, 2, 60, 2000])
def test_truncation_is_exact_in_float32(time: int, kind: str) -> None:
    logits = LOGITS[kind](time)
    found = truncation_alignment(logits)
    assert found.dtype == torch.float32
    np.testing.assert_allclose(double(found), oracle.mta(double(logits)), rtol=0, atol=1e-6)


def test_gradcheck() -> None:
    logits = ordinary(18).view(2, 9).double().requires_grad_()
    padding = torch.arange(9) >= torch.tensor([[9], [4]])
    assert torch.autograd.gradcheck(
        lambda e: truncation_alignment(e.masked_fill(padding, -torch.inf)), (logits,)
    )


def test_expected_steps_are_those_of_the_equations() -> None:
    assert_expected_steps(build(MTA, **MIXED), lambda at: oracle.mta(at.e))


def test_hard_steps_are_those_of_the_equations() -> None:
    """Also where a scan finds nothing, after which the next begins where it did."""
    steps = assert_hard_steps(build(MTA, **MIXED), lambda one: oracle.hard_mta(one.e))
    nothing = torch.stack([step.weights.sum(1) == 0 for step in steps], 1)
    assert (nothing[:, :-1] & ~nothing[:, 1:]).any()
    assert (stops_of(steps).diff(dim=1) > 0).any()


def test_training_and_testing_differ_by_what_lies_after_the_end() -> None:
    module = build(MTA, **MIXED)
    memory, asked = module.prepare(*padded([utterance(12), utterance(7)])), queries(2, 10)
    pairs = zip(*(attend(module, memory, asked, m) for m in MODES), strict=True)
    for expected, hard in pairs:
        kept = hard.weights > 0
        torch.testing.assert_close(expected.weights[kept], hard.weights[kept])


def test_hard_is_expected_where_every_probability_is_0_or_1_and_the_scan_finds_an_end() -> None:
    module = make_binary(build(MTA, **MIXED))
    memory = module.prepare(*padded([utterance(time, time) for time in (1, 5, 12, 12)]))
    compared = 0
    pairs = zip(*(attend(module, memory, queries(4, 40), m) for m in MODES), strict=True)
    for expected, hard in pairs:
        found = (hard.weights > 0).any(1)
        compared += int(found.sum())
        torch.testing.assert_close(expected.context[found], hard.context[found])
        assert (hard.context[~found] == 0).all()
    assert 40 < compared < 160


def test_it_hears_nothing_after_the_stop() -> None:
    assert_future_is_unheard(build(MTA, **MIXED))


def test_no_output_loses_mass_to_the_outputs_before_it() -> None:
    """What monotonic attention loses at the memory's end, output after output."""
    sums = []
    for mechanism in (MTA, MonotonicAttention):
        module = build(mechanism, gain=0.1, offset=-1, noise_std=0.0)
        memory = module.prepare(*padded([utterance(12)]))
        last = attend(module, memory, queries(1, 12), "expected")[-1]
        sums.append(last.weights.sum().item())
    assert sums[0] == pytest.approx(1 - (1 - 1 / (1 + math.e)) ** 12, abs=0.05)
    assert sums[1] < 0.2


def test_it_has_the_parameters_of_monotonic_attention() -> None:
    mta, monotonic = build(MTA), build(MonotonicAttention)
    monotonic.load_state_dict(mta.state_dict())
