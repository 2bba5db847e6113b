"""Strings of words, disjoint between splits."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from mocha_lightning.data.number_words import UNITS
from mocha_lightning.data.strings import Strings
from mocha_lightning.errors import UserError


def settings(**changes: Any) -> Strings:
    return Strings(
        **{
            "min_words": 2,
            "max_words": 4,
            "train_utterances": 1000,
            "validation_utterances": 50,
            "test_utterances": 100,
            "corpus_seed": 0,
            **changes,
        }
    )


def drawn(strings: Strings, units: tuple[str, ...]) -> dict[str, list[str]]:
    return strings.draw(np.random.default_rng(0), units)


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_no_split_says_what_another_says(units: tuple[str, ...]) -> None:
    splits = drawn(settings(), units)
    sets = [set(splits[name]) for name in ("train", "validation", "test")]
    assert [len(texts) for texts in splits.values()] == [100, 50, 1000]
    assert len(set.union(*sets)) == sum(map(len, sets)) == 1150  # nor one string twice


def test_all_lengths_and_units_are_as_likely() -> None:
    texts = drawn(settings(train_utterances=3000, min_words=3, max_words=5), UNITS["mixed"])[
        "train"
    ]
    lengths = Counter(len(text.split()) for text in texts)
    assert sorted(lengths) == [3, 4, 5]
    assert max(lengths.values()) - min(lengths.values()) < 200
    units = Counter(word for text in texts for word in text.split())
    assert set(units) == set(UNITS["mixed"])
    assert max(units.values()) < 1.3 * min(units.values())


def test_training_keeps_most_of_the_short_strings() -> None:
    splits = drawn(settings(test_utterances=300), UNITS["digits"])
    short = {
        name: sum(len(text.split()) == 2 for text in set(texts)) for name, texts in splits.items()
    }
    assert short["test"] <= 10  # of a hundred strings of two digits
    assert short["validation"] <= 10
    assert short["train"] >= 60


def test_training_repeats_strings_only_when_there_are_no_new_ones() -> None:
    few = settings(max_words=2, train_utterances=200, validation_utterances=5, test_utterances=5)
    splits = drawn(few, UNITS["digits"])
    assert len(splits["train"]) == 200
    assert len(set(splits["train"])) == 90
    assert not set(splits["train"]) & {*splits["test"], *splits["validation"]}


def test_too_few_strings_for_evaluation_are_refused() -> None:
    few = settings(min_words=1, max_words=1)
    with pytest.raises(UserError, match=r"data\.test_utterances is 100: .* raise data\.max_words"):
        drawn(few, UNITS["digits"])


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"min_words": 0}, "min_words"),
        ({"min_words": 5}, "max_words"),
        ({"train_utterances": 0}, "train_utterances"),
        ({"validation_utterances": -1}, "validation_utterances"),
        ({"test_utterances": 0}, "test_utterances"),
        ({"corpus_seed": -1}, "corpus_seed"),
    ],
)
def test_numbers_out_of_range_are_named(changes: dict[str, int], key: str) -> None:
    with pytest.raises(UserError, match=rf"data\.{key}"):
        settings(**changes)
