"""Batches: a pure function of seed and step."""

from itertools import islice

import numpy as np
import pytest

from mocha_lightning.data.batching import POOL, BatchesByStep, batches_by_length
from mocha_lightning.errors import UserError

LENGTHS = np.random.default_rng(0).integers(50, 500, 203).tolist()


def first(count: int, seed: int = 0, start_step: int = 0) -> list[list[int]]:
    return list(islice(BatchesByStep(LENGTHS, 4, seed, start_step), count))


@pytest.mark.parametrize("step", [0, 1, 49, 50, 51, 100, 137])
def test_training_resumed_at_a_step_sees_the_same_batches(step: int) -> None:
    assert first(160)[step:] == first(160 - step, start_step=step)


def test_the_order_hangs_on_the_seed() -> None:
    assert first(50, seed=1) == first(50, seed=1)
    assert first(50, seed=0) != first(50, seed=1)


def test_an_epoch_holds_every_utterance_once_but_for_the_rest() -> None:
    epoch = first(50)  # 203 // 4
    seen = [index for batch in epoch for index in batch]
    assert all(len(batch) == 4 for batch in epoch)
    assert len(seen) == len(set(seen)) == 200
    following = [index for batch in first(50, start_step=50) for index in batch]
    assert set(following) != set(seen)  # another three are left out


def test_epochs_differ() -> None:
    assert first(50) != first(50, start_step=50)


def test_utterances_of_a_batch_are_alike_in_length() -> None:
    batches = first(500)
    spread = np.mean([np.ptp([LENGTHS[i] for i in batch]) for batch in batches])
    assert spread < 450 / POOL * 2  # a random batch of 4 would spread over 270
    longest = [max(LENGTHS[i] for i in batch) for batch in batches]
    assert abs(np.corrcoef(longest[:-1], longest[1:])[0, 1]) < 0.2  # and no order between them


def test_a_corpus_smaller_than_a_batch_is_refused() -> None:
    with pytest.raises(UserError, match=r"data\.batch_size is 8 .* 5 utterances"):
        BatchesByStep([10] * 5, 8, 0)


def test_evaluation_sees_every_utterance_once_by_length() -> None:
    batches = batches_by_length(LENGTHS, 10)
    order = [index for batch in batches for index in batch]
    assert sorted(order) == list(range(203))
    assert [LENGTHS[index] for index in order] == sorted(LENGTHS)
    assert [len(batch) for batch in batches] == [10] * 20 + [3]
