"""Which places of padded sequences are filled."""

import torch

from mocha_lightning.lengths import within


def test_a_sequences_places_are_filled_up_to_its_length() -> None:
    filled = within(torch.tensor([0, 2, 3, 5]), 3)
    assert filled.tolist() == [[False] * 3, [True, True, False], [True] * 3, [True] * 3]
