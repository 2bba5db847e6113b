"""The random numbers of a step are those of its seed and number, on every machine."""

import random

import numpy as np
import pytest
import torch

from mocha_lightning.training.determinism import TRAINING, seed_all


def drawn() -> tuple[float, float, list[float]]:
    """From each source of random numbers."""
    return random.random(), float(np.random.random()), torch.rand(3).tolist()


def test_a_step_has_the_same_numbers_each_time_and_another_step_others() -> None:
    seed_all(1, TRAINING, 7)
    first = drawn()
    assert drawn() != first
    seed_all(1, TRAINING, 7)
    assert drawn() == first
    seed_all(1, TRAINING, 8)
    assert all(one != other for one, other in zip(drawn(), first, strict=True))


def test_the_processor_has_the_same_numbers_where_there_is_an_accelerator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for there in (False, True):
        monkeypatch.setattr(torch.accelerator, "is_available", lambda there=there: there)
        seed_all(1, TRAINING, 7)
        found.append(drawn())
    assert found[0] == found[1]


def test_every_part_of_a_batch_has_numbers_of_its_own_and_the_first_those_of_the_whole() -> None:
    found = []
    for part in ([], [0], [1], [2]):
        seed_all(1, TRAINING, 7, *part)
        found.append(drawn())
    whole, first, *others = found
    assert first == whole
    assert others[0] != others[1]
    assert whole not in others
