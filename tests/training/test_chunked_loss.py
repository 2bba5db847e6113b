"""A softmax in parts is the whole softmax."""

import pytest
import torch
from torch import Tensor, nn

from mocha_lightning.training.chunked_loss import target_log_probabilities

ROWS, INPUT, CLASSES = 7, 4, 10


def setting() -> tuple[nn.Linear, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    inputs = torch.randn(ROWS, INPUT, dtype=torch.double, requires_grad=True)
    grad = torch.randn(ROWS, dtype=torch.double)
    return nn.Linear(INPUT, CLASSES).double(), inputs, torch.randint(CLASSES, (ROWS,)), grad


def plain(layer: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """exp(logit_target) / sum_k exp(logit_k), row by row."""
    logits = layer(inputs)
    sums = [sum(logit.exp() for logit in row) for row in logits]
    pairs = zip(logits, targets, sums, strict=True)
    return torch.stack([(row[target].exp() / total).log() for row, target, total in pairs])


@pytest.mark.parametrize("chunk", [1, 20, 25, 69, 70, 1000])
def test_values_and_gradients_are_those_of_the_formula(chunk: int) -> None:
    layer, inputs, targets, grad = setting()
    wanted = [inputs, *layer.parameters()]
    found = target_log_probabilities(layer, inputs, targets, CLASSES, chunk)
    expected = plain(layer, inputs, targets)
    torch.testing.assert_close(found, expected)
    gradients = torch.autograd.grad(found, wanted, grad)
    for one, other in zip(gradients, torch.autograd.grad(expected, wanted, grad), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("chunk", [CLASSES, 25])
def test_no_more_logits_are_made_at_once_than_a_chunk(chunk: int) -> None:
    layer, inputs, targets, grad = setting()
    sizes = []

    def counted(rows: Tensor) -> Tensor:
        logits = layer(rows)
        sizes.append(logits.numel())
        return logits

    target_log_probabilities(counted, inputs, targets, CLASSES, chunk).backward(grad)
    assert max(sizes) <= chunk
    assert sum(sizes) == 2 * ROWS * CLASSES  # once on the way forth, once on the way back


def test_what_fits_is_not_made_twice() -> None:
    layer, inputs, targets, grad = setting()
    calls = []
    target_log_probabilities(
        lambda rows: calls.append(len(rows)) or layer(rows), inputs, targets, CLASSES
    ).backward(grad)
    assert calls == [ROWS]
