"""No attention: a decoder that hears nothing."""

import pytest
import torch

from attention.setting import attend, build, padded, queries, utterance
from mocha_lightning.attention import NoAttention


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_every_context_is_zero_whatever_is_in_the_memory(mode: str) -> None:
    module = build(NoAttention)
    memory = module.prepare(*padded([utterance(9), utterance(4, 1)]))
    for step in attend(module, memory, queries(2, 3), mode):
        assert torch.equal(step.context, torch.zeros(2, memory.values.shape[2]))
        assert torch.equal(step.weights, torch.zeros(2, 9))
        assert step.logits is None


def test_there_is_nothing_to_learn() -> None:
    assert not list(build(NoAttention).parameters())
    assert build(NoAttention).learning_rate_factors() == {}
