"""Hard monotonic attention is section 2.3."""

from functools import partial

import numpy as np
import pytest
import torch
from oracles.alignment import alignment_by_starts
from oracles.attention import algorithm_1

from attention.setting import (
    MIXED,
    assert_all_cases,
    attend,
    build,
    energy_table,
    make_binary,
    padded,
    queries,
    take,
    utterance,
)
from mocha_lightning.attention import MonotonicAttention


def test_expected_steps_are_those_of_the_equations() -> None:
    module = build(MonotonicAttention, **MIXED).double()
    memory, asked = utterance(9, dtype=torch.double), queries(1, 6, dtype=torch.double)
    steps = attend(module, module.prepare(*padded([memory])), asked, "expected")
    alpha = np.eye(9)[0]
    table = energy_table(module.head.energy, memory, asked, MIXED["offset"])
    for step, logits in zip(steps, table, strict=True):
        alpha = alignment_by_starts(logits, alpha)
        context = sum(weight * h for weight, h in zip(alpha, memory.numpy(), strict=True))
        np.testing.assert_allclose(step.logits[0].detach(), logits, atol=1e-12)
        np.testing.assert_allclose(step.weights[0].detach(), alpha, atol=1e-12)
        np.testing.assert_allclose(step.state[0].detach(), alpha, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), context, atol=1e-12)
    assert 0.01 < alpha.sum() < 0.99


def test_hard_steps_are_algorithm_1() -> None:
    """With chunks of one, through the end of the memory and beyond."""
    module = build(MonotonicAttention, **MIXED).double()
    utterances = [utterance(12, seed, torch.double) for seed in range(8)]
    asked = queries(8, 30, dtype=torch.double)
    steps = attend(module, module.prepare(*padded(utterances)), asked, "hard")
    found = torch.stack([step.state for step in steps], 1)
    for row, memory in enumerate(utterances):
        own = [query[row : row + 1] for query in asked]
        e = energy_table(module.head.energy, memory, own, MIXED["offset"])
        contexts, stops = algorithm_1(memory.numpy(), 30, 1, partial(take, e), partial(take, 0 * e))
        assert found[row].tolist() == stops
        np.testing.assert_allclose([s.context[row].detach().numpy() for s in steps], contexts)
    assert_all_cases(found, 12)


@pytest.mark.parametrize("size", [torch.inf, 1e4, 200.0])
def test_hard_is_expected_where_every_probability_is_0_or_1(size: float) -> None:
    """Through many outputs: the scan runs off the end and stays off."""
    module = make_binary(build(MonotonicAttention), size)
    utterances = [utterance(time, time) for time in (1, 5, 12, 12)]
    memory, asked = module.prepare(*padded(utterances)), queries(4, 40)
    expected, hard = (attend(module, memory, asked, mode) for mode in ("expected", "hard"))
    for soft_step, hard_step in zip(expected, hard, strict=True):
        assert torch.equal(soft_step.weights, hard_step.weights)
        assert torch.equal(soft_step.context, hard_step.context)
    assert (hard[0].state < 12).any()
    assert (hard[-1].weights == 0).all()
    # Beyond the end the head still says "stop" now and then; it must not be heard.
    assert any((step.logits[2] >= 0).any() for step in expected[-10:])
