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


BUDGET = 1200


def bounded(count: int, start_step: int = 0, budget: int = BUDGET) -> list[list[int]]:
    return list(islice(BatchesByStep(LENGTHS, 8, 0, start_step, budget), count))


def frames(batch: list[int]) -> int:
    """Of the padded batch."""
    return len(batch) * max(LENGTHS[index] for index in batch)


def epoch_sizes(epochs: int) -> list[int]:
    return [len(BatchesByStep(LENGTHS, 8, 0, 0, BUDGET).epoch(each)) for each in range(epochs)]


def test_a_batch_of_bounded_frames_holds_as_many_utterances_as_it_can() -> None:
    batches = bounded(300)
    assert max(frames(batch) for batch in batches) <= BUDGET
    assert {len(batch) for batch in batches} == set(range(1, 9))
    assert np.mean([frames(batch) for batch in batches]) > 0.75 * BUDGET


def test_an_epoch_of_bounded_batches_holds_every_utterance_at_most_once() -> None:
    (size,) = epoch_sizes(1)
    seen = [index for batch in bounded(size) for index in batch]
    assert len(seen) == len(set(seen)) == 200  # 203 // 8 * 8


def test_bounded_batches_resumed_at_any_step_of_any_epoch_are_the_same() -> None:
    sizes = epoch_sizes(4)
    assert len(set(sizes)) > 1  # so that no division tells the epoch
    whole = bounded(sum(sizes))
    for step in (0, 1, sizes[0] - 1, sizes[0], sizes[0] + 1, sum(sizes[:2]), sum(sizes[:3]) + 5):
        assert bounded(sum(sizes) - step, step) == whole[step:]


def test_a_bound_that_is_never_met_changes_nothing() -> None:
    assert bounded(60, budget=8 * 500) == list(islice(BatchesByStep(LENGTHS, 8, 0), 60))


def test_without_a_bound_batches_are_those_they_always_were() -> None:
    """Of a permutation by NumPy's generator; results of old runs depend on it."""
    lengths = [30, 10, 50, 20, 40, 60, 70]
    generator = np.random.default_rng([3, 1])
    order = generator.permutation(7)[:6]
    by_length = sorted(order.tolist(), key=lambda index: lengths[index])
    pairs = [by_length[0:2], by_length[2:4], by_length[4:6]]
    expected = [pairs[index] for index in generator.permutation(3)]
    assert list(islice(BatchesByStep(lengths, 2, 3, 3), 3)) == expected


def test_evaluation_in_bounded_batches_sees_every_utterance_once() -> None:
    batches = batches_by_length(LENGTHS, 10, BUDGET)
    order = [index for batch in batches for index in batch]
    assert [LENGTHS[index] for index in order] == sorted(LENGTHS)
    assert len(set(order)) == 203
    assert max(frames(batch) for batch in batches) <= BUDGET


def test_evaluation_sees_every_utterance_once_by_length() -> None:
    batches = batches_by_length(LENGTHS, 10)
    order = [index for batch in batches for index in batch]
    assert sorted(order) == list(range(203))
    assert [LENGTHS[index] for index in order] == sorted(LENGTHS)
    assert [len(batch) for batch in batches] == [10] * 20 + [3]
