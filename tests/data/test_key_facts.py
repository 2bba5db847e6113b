"""The probe of reordering, held against a reading of its documents that knows the rule alone."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.data import Example, KeyFacts
from mocha_lightning.data.key_facts import reordering_distance
from mocha_lightning.errors import UserError

from .texts import opened

SMALL = {"train_documents": 60, "validation_documents": 5, "test_documents": 54, "batch_size": 4}


def corpus(folder: Path, **changes: Any) -> KeyFacts:
    return KeyFacts(**{**SMALL, "cache_dir": str(folder), **changes})


def examples(data: KeyFacts, split: str) -> list[Example]:
    opened(data)
    return [data.splits[split][row].example for row in range(len(data.splits[split]))]


def summary_of(document: str) -> str:
    """What the docstring's grammar says of a document."""
    order, *words = document.split()
    told = []
    for fact in " ".join(words).removesuffix(" .").split(" . "):
        match fact.split():
            case ["keep", key, first, second]:
                told.append(f"{key} {first} {second} .")
            case ["swap", key, first, *_, second]:
                told.append(f"{key} {second} {first} .")
            case [key, _, _]:
                assert key.startswith("k")
            case other:
                pytest.fail(f"no fact: {other}")
    return " ".join(told if order == "normal" else reversed(told))


def solvable(example: Example, window: int) -> bool:
    """Whether stops that never move back, searched for one by one, can copy the summary.

    At each stop t the words t - window + 1 to t are seen.
    """
    words = example.document.split()
    earliest = 0
    for position in example.details["alignment"]:
        earliest = max(earliest, position)
        if position <= earliest - window:
            return False
        assert earliest < len(words)
    return True


def test_the_summary_is_what_the_rule_says(tmp_path: Path) -> None:
    for split in ("train", "validation", "test"):
        for example in examples(corpus(tmp_path), split):
            assert example.summary.split() == summary_of(example.document).split()


def test_the_alignment_gives_the_summary_and_the_distance(tmp_path: Path) -> None:
    for example in examples(corpus(tmp_path), "train"):
        words, sources = example.document.split(), example.details["alignment"]
        assert [words[source] for source in sources] == example.summary.split()
        steps = [max(sources[: n + 1]) - source for n, source in enumerate(sources)]
        assert example.details["distance"] == max(steps)
        assert example.details["order"] == words[0]


def test_a_window_solves_normal_order_if_and_only_if_it_holds_the_swap(tmp_path: Path) -> None:
    seen = set()
    for example in examples(corpus(tmp_path, test_documents=200), "test"):
        distance = example.details["distance"]
        if example.details["order"] == "normal":
            assert distance == example.details["swap"]
            seen.add(distance)
            for window in (1, 2, 4, 8, 16, 18):
                assert solvable(example, window) == (window >= distance + 1)
        else:
            assert not solvable(example, 9)
            assert distance > example.details["swap"]
    assert seen == set(range(18))


def test_every_octave_of_distances_is_as_frequent_and_so_is_each_of_its_own(tmp_path: Path) -> None:
    data = corpus(tmp_path, test_documents=6 * 24)
    swaps = Counter(example.details["swap"] for example in examples(data, "test"))
    octaves = ([0], [1], [2, 3], range(4, 8), range(8, 16), [16, 17])
    assert swaps == {swap: 24 / len(octave) for octave in octaves for swap in octave}


@pytest.mark.parametrize(("share", "reversed_"), [(0.0, 0), (1.0, 54)])
def test_the_share_of_reversed_documents(tmp_path: Path, share: float, reversed_: int) -> None:
    orders = Counter(
        each.details["order"] for each in examples(corpus(tmp_path, reversed_share=share), "test")
    )
    assert orders["reversed"] == reversed_


def test_every_entity_and_key_is_in_a_document_once(tmp_path: Path) -> None:
    for example in examples(corpus(tmp_path), "train"):
        counts = Counter(word for word in example.document.split() if word[0] in "ek" and word[1:])
        del counts["keep"]
        assert len(counts) == 18
        assert set(counts.values()) == {1}


def test_no_word_is_unknown_unless_that_is_asked(tmp_path: Path) -> None:
    data = corpus(tmp_path)
    for batch in (*opened(data).val_dataloader(), *data.test_dataloader()):
        assert not any(batch.unknown)
        assert (batch.target != 1).all()
    strange = opened(corpus(tmp_path, unknown_share=1.0))
    for batch in strange.test_dataloader():
        assert {len(unknown) for unknown in batch.unknown} == {12}
        known = len(strange.spec.vocabulary)
        # Of the four words of a fact two are entities, which can only be copied.
        assert ((batch.target >= known).sum(1) == 6).all()
        assert (batch.target != 1).all()
    assert len(strange.spec.vocabulary) == len(data.spec.vocabulary)


def test_lengths_are_those_of_the_default_and_nothing_is_cut(tmp_path: Path) -> None:
    facts = opened(corpus(tmp_path)).describe()["splits"]["test"]
    assert facts["mean_summary_words"] == 12
    assert 38 < facts["mean_document_words"] < 50
    assert facts["share_of_documents_cut"] == facts["share_of_summaries_cut"] == 0
    assert facts["share_of_summary_words_in_document"] == facts["share_of_words_known"] == 1


def test_the_model_can_be_built_before_the_data(tmp_path: Path) -> None:
    assert len(corpus(tmp_path).spec.vocabulary) == 4 + 2 + 2 + 1 + 20 + 20 + 300


def test_the_seed_decides_the_documents(tmp_path: Path) -> None:
    first, again = (opened(corpus(tmp_path / name)).sha256 for name in ("1", "2"))
    assert first == again
    assert opened(corpus(tmp_path, corpus_seed=1)).sha256 != first


def test_splits_differ(tmp_path: Path) -> None:
    data = corpus(tmp_path)
    train, test = ({each.document for each in examples(data, name)} for name in ("train", "test"))
    assert len(train) == 60
    assert not train & test


@pytest.mark.parametrize(
    ("alignment", "distance"),
    [([], 0), ([3, 4, 9], 0), ([2, 1], 1), ([5, 1, 7, 3], 4), ([9, 10, 0, 1], 10)],
)
def test_the_distance_is_the_greatest_step_back(alignment: list[int], distance: int) -> None:
    assert reordering_distance(alignment) == distance


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"facts": 21}, r"data\.facts is 21: it must be from 1 to 20"),
        ({"marked": 7}, r"data\.marked is 7: it must be from 1 to 6"),
        ({"marked": 0}, r"data\.marked is 0"),
        ({"swap_window": 0}, r"data\.swap_window is 0: it must be from 1 to 1000"),
        ({"swap_window": 10**12}, r"data\.swap_window is 1000000000000: it must be from 1 to"),
        ({"reversed_share": 1.1}, r"data\.reversed_share is 1\.1: it must be from 0 to 1"),
        ({"unknown_share": -0.1}, r"data\.unknown_share"),
        ({"entities": 11}, r"data\.entities is 11: it must be from 12 to 1000000"),
        ({"corpus_seed": -1}, r"data\.corpus_seed"),
        ({"test_documents": 0}, r"data\.test_documents is 0: it must be at least 1"),
    ],
)
def test_numbers_out_of_range_are_named(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        corpus(tmp_path, **changes)


@pytest.mark.parametrize("window", [1, 2])
def test_the_smallest_windows_make_documents(tmp_path: Path, window: int) -> None:
    distances = {
        each.details["distance"]
        for each in examples(corpus(tmp_path, swap_window=window, reversed_share=0.0), "test")
    }
    assert distances == set(range(window))
