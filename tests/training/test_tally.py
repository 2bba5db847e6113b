"""Sums over a split, whatever is searched for."""

import math

import pytest
import torch

from mocha_lightning.decoding import Decoded
from mocha_lightning.training.tally import Tally


def decoded(attended: list[list[float]], capped: list[bool]) -> Decoded:
    mass = torch.tensor(attended)
    tokens = torch.zeros_like(mass, dtype=torch.long)
    return Decoded(tokens, tokens[:, 0], torch.tensor(capped), mass)


def test_scores_are_shares_of_the_whole_split() -> None:
    tally = Tally()
    tally.add_loss(torch.tensor(2.0), torch.tensor(10))
    tally.add_loss(torch.tensor(1.0), torch.tensor(30))
    tally.add_undecided(1.0, 4.0)
    tally.add_undecided(3.0, 12.0)
    # A step that attends to a little is not off the end; NaN follows an utterance's last step.
    tally.add_decoded(decoded([[1, 0.01, 0, 0], [0.99, 0, math.nan, math.nan]], [True, False]))
    tally.add_decoded(decoded([[1, math.nan], [1, 1]], [False, False]))
    assert tally.scores() == pytest.approx(
        {"loss": 1.25, "undecided": 0.25, "off_the_end": 3 / 9, "length_cap": 0.25}
    )


def test_a_mechanism_without_a_head_has_neither_undecided_nor_off_the_end() -> None:
    tally = Tally()
    tally.add_loss(torch.tensor(2.0), torch.tensor(10))
    tally.add_decoded(decoded([[1, 1]], [False]))
    assert tally.scores() == {"loss": 2.0, "length_cap": 0.0}
