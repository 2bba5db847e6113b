"""A batch is shared so that each of its items is computed once."""

from itertools import islice

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.shares import WHOLE, Share, TrainingShare

BATCHES = [list(range(12)), list(range(100, 112))]


@pytest.mark.parametrize(("processes", "rounds"), [(1, 1), (2, 1), (1, 3), (3, 2)])
def test_every_item_of_a_batch_is_in_one_part(processes: int, rounds: int) -> None:
    shares = [Share(process, processes, rounds) for process in range(processes)]
    given = [list(TrainingShare(BATCHES, share)) for share in shares]
    for number, batch in enumerate(BATCHES):
        parts = [part for each in given for part in each[number * rounds : (number + 1) * rounds]]
        assert sorted(item for part in parts for item in part) == batch
        assert {len(part) for part in parts} == {12 // processes // rounds}


def test_a_process_that_computes_alone_has_the_batches_themselves() -> None:
    assert list(TrainingShare(BATCHES, WHOLE)) == BATCHES


def test_parts_of_a_batch_that_is_sorted_by_length_are_alike() -> None:
    first, second = (next(iter(TrainingShare(BATCHES, Share(each, 2)))) for each in range(2))
    assert first == [0, 2, 4, 6, 8, 10]
    assert second == [1, 3, 5, 7, 9, 11]


def test_parts_of_an_update_have_numbers_of_their_own_which_come_again_in_the_next() -> None:
    shares = [Share(process, 3, 2) for process in range(3)]
    for first in (0, 2):
        numbers = [share.number(first + each) for each in range(2) for share in shares]
        assert numbers == [0, 1, 2, 3, 4, 5]


def test_batches_without_end_are_shared_as_they_come() -> None:
    def endless():
        while True:
            yield [0, 1]

    assert list(islice(TrainingShare(endless(), Share(1, 2)), 3)) == [[1], [1], [1]]


@pytest.mark.parametrize("batches", [3, 4, 5, 9])
def test_evaluation_has_every_batch_once_and_whole(batches: int) -> None:
    shares = [Share(process, 3, 2) for process in range(3)]
    given = [list(share.of_evaluation(range(batches))) for share in shares]
    assert sorted(batch for each in given for batch in each) == list(range(batches))


def test_what_cannot_be_shared_is_said_in_a_line() -> None:
    with pytest.raises(UserError) as caught:
        Share(0, 2, 3).check_divides(8)
    assert str(caught.value) == (
        "data.batch_size is 8, and a batch is shared by 2 processes, 3 parts each: give a multiple "
        "of 6"
    )
    with pytest.raises(UserError, match="1 batches of validation or test cannot be shared by 2"):
        Share(0, 2).of_evaluation([0])
