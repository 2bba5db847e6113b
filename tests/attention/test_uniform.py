"""Uniform attention is the mean of the memory."""

import pytest
import torch

from attention.setting import attend, build, padded, queries, utterance
from mocha_lightning.attention import UniformAttention


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_every_context_is_the_mean_of_the_utterance(mode: str) -> None:
    module, utterances = build(UniformAttention), [utterance(9), utterance(4, 1)]
    memory = module.prepare(*padded(utterances, extra=3))
    for step in attend(module, memory, queries(2, 3), mode):
        for row, values in enumerate(utterances):
            torch.testing.assert_close(step.context[row], values.mean(0))
            length = len(values)
            expected = torch.full((length,), 1 / length)
            torch.testing.assert_close(step.weights[row, :length], expected)
        assert (step.weights[1, 4:] == 0).all()
        assert step.logits is None


def test_there_is_nothing_to_learn() -> None:
    assert not list(build(UniformAttention).parameters())
    assert build(UniformAttention).learning_rate_factors() == {}
