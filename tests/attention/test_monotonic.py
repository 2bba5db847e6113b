"""Hard monotonic attention is section 2.3."""

import pytest
import torch

from attention.claims import assert_algorithm_1, assert_expected_steps
from attention.setting import MIXED, attend, build, make_binary, padded, queries, utterance
from mocha_lightning.attention import MonotonicAttention


def test_expected_steps_are_those_of_the_equations() -> None:
    assert_expected_steps(build(MonotonicAttention, **MIXED), lambda at: at.alpha)


def test_hard_steps_are_algorithm_1_with_chunks_of_one() -> None:
    assert_algorithm_1(build(MonotonicAttention, **MIXED), chunk_size=1)


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
