"""The coverage loss, against a loop over entries."""

import pytest
import torch
from oracles.pointer_generator import coverage

from mocha_lightning.training.coverage_loss import coverage_loss


def test_it_is_that_of_the_loop() -> None:
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(2, 5, 6, generator=generator, dtype=torch.double).softmax(-1)
    covered = weights.cumsum(1) - weights
    lengths = [5, 3]
    counted = torch.arange(5) < torch.tensor(lengths).unsqueeze(1)
    totals = [coverage(rows[:n].tolist()) for rows, n in zip(weights, lengths, strict=True)]
    found = coverage_loss(weights, covered, counted)
    assert found.item() == pytest.approx(sum(totals) / sum(lengths))
