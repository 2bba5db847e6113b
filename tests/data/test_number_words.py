"""Numbers in words."""

import pytest

from mocha_lightning.data.number_words import UNITS, in_words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (9, "nine"),
        (13, "thirteen"),
        (20, "twenty"),
        (47, "forty seven"),
        (100, "one hundred"),
        (407, "four hundred and seven"),
        (999, "nine hundred and ninety nine"),
    ],
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert in_words(number) == words


def test_units_are_distinct() -> None:
    assert [len(set(units)) for units in UNITS.values()] == [10, 28, 1000]
