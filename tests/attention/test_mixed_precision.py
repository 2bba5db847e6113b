"""In mixed precision, what is attended to keeps the digits of float32."""

import pytest
import torch
from torch import Tensor, nn

from mocha_lightning.training.chunked_loss import target_log_probabilities
from mocha_lightning.training.label_smoothing import smoothed_cross_entropy

from .setting import MECHANISMS, MEMORY_DIM, attend, build, padded, queries

MODES = ["expected", "hard"]
LENGTHS = (9, 4, 12, 1)


def utterances() -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(length, MEMORY_DIM, generator=generator) for length in LENGTHS]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_alignments_are_of_float32(name: str, mode: str) -> None:
    mechanism = build(MECHANISMS[name])
    with torch.autocast("cpu", torch.bfloat16):
        memory = mechanism.prepare(*padded(utterances()))
        steps = attend(mechanism, memory, queries(4, 3), mode)
    for step in steps:
        assert step.weights.dtype == torch.float32
        assert step.state.dtype in (torch.float32, torch.long)


@pytest.mark.parametrize("name", ["soft", "coverage"])
def test_weights_sum_to_1(name: str) -> None:
    mechanism = build(MECHANISMS[name])
    with torch.autocast("cpu", torch.bfloat16):
        memory = mechanism.prepare(*padded(utterances()))
        steps = attend(mechanism, memory, queries(4, 3), "expected")
    for step in steps:
        torch.testing.assert_close(step.weights.sum(1), torch.ones(4), rtol=0, atol=1e-6)


def test_losses_are_of_float32() -> None:
    layer = nn.Linear(4, 6)
    hidden, tokens = torch.randn(2, 3, 4), torch.randint(6, (2, 3))
    with torch.autocast("cpu", torch.bfloat16):
        logits = layer(hidden)
        smoothed = smoothed_cross_entropy(logits, tokens, torch.tensor([3, 2]))
        each = target_log_probabilities(layer, hidden.flatten(0, 1), tokens.flatten(), 6)
    assert logits.dtype == torch.bfloat16
    assert smoothed.dtype == each.dtype == torch.float32
    exact = smoothed_cross_entropy(logits.float(), tokens, torch.tensor([3, 2]))
    torch.testing.assert_close(smoothed, exact, rtol=0, atol=1e-6)
    exact = logits.float().log_softmax(-1).gather(2, tokens.unsqueeze(2)).flatten()
    torch.testing.assert_close(each, exact, rtol=0, atol=1e-6)
