"""The quantity loss: as many stops are expected as there are labels."""

import pytest
import torch
from oracles.quantity_loss import quantity

from mocha_lightning.training.quantity_loss import quantity_loss


def alignments() -> torch.Tensor:
    """(batch, outputs, time), each output with a mass of its own."""
    generator = torch.Generator().manual_seed(0)
    softmax = torch.softmax(torch.randn(4, 6, 9, generator=generator), -1)
    return softmax * torch.rand(4, 6, 1, generator=generator)


def test_it_is_what_a_loop_over_stops_counts() -> None:
    alphas, lengths = alignments(), [6, 1, 4, 2]
    found = quantity_loss(alphas.sum(-1), torch.tensor(lengths))
    assert found.shape == ()
    assert found.item() == pytest.approx(quantity(list(alphas.double().numpy()), lengths), rel=1e-6)


def test_too_few_and_too_many_stops_cost_the_same_and_do_not_cancel() -> None:
    lengths = torch.tensor([2, 2])
    assert quantity_loss(torch.tensor([[1.0, 1.0], [1.0, 1.0]]), lengths).item() == 0
    assert quantity_loss(torch.tensor([[0.5, 1.0], [1.0, 1.5]]), lengths).item() == 0.5


def test_outputs_after_the_end_do_not_count_and_have_no_gradient() -> None:
    stops = torch.tensor([[0.5, 0.25, 0.7], [0.5, torch.nan, torch.inf]], requires_grad=True)
    loss = quantity_loss(stops, torch.tensor([3, 1]))
    loss.backward()
    assert loss.item() == pytest.approx((1.55 + 0.5) / 2)
    assert stops.grad.tolist() == [[-0.5, -0.5, -0.5], [-0.5, 0, 0]]
