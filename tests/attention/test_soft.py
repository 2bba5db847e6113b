"""Soft attention is section 2.2."""

import numpy as np
import torch
from oracles.attention import soft_weights

from attention.setting import attend, build, energy_table, padded, queries, utterance
from mocha_lightning.attention import SoftAttention


def test_weights_and_context_are_those_of_the_equations() -> None:
    soft = build(SoftAttention).double()
    memory, asked = utterance(9, dtype=torch.double), queries(1, 4, dtype=torch.double)
    steps = attend(soft, soft.prepare(*padded([memory])), asked, "expected")
    for step, energies in zip(steps, energy_table(soft.energy, memory, asked), strict=True):
        weights = soft_weights(energies)
        context = sum(weight * h for weight, h in zip(weights, memory.numpy(), strict=True))
        np.testing.assert_allclose(step.weights[0].detach(), weights, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), context, atol=1e-12)


def test_all_weight_is_on_the_utterance() -> None:
    soft = build(SoftAttention)
    memory = soft.prepare(*padded([utterance(9), utterance(4, 1)]))
    (step,) = attend(soft, memory, queries(2, 1), "expected")
    torch.testing.assert_close(step.weights.sum(1), torch.ones(2))
    assert (step.weights[1, 4:] == 0).all()
    assert (step.weights[1, :4] > 0).all()


def test_it_attends_the_same_way_when_testing() -> None:
    soft = build(SoftAttention)
    memory, asked = soft.prepare(*padded([utterance(9)])), queries(1, 3)
    pairs = zip(*(attend(soft, memory, asked, m) for m in ("expected", "hard")), strict=True)
    assert all(torch.equal(a.context, b.context) for a, b in pairs)


def test_it_has_no_monotonic_head() -> None:
    soft = build(SoftAttention)
    (step,) = attend(soft, soft.prepare(*padded([utterance(9)])), queries(1, 1), "expected")
    assert step.logits is None
    assert step.state.shape == (1, 0)
