"""Scores say exactly what they compute."""

from importlib.metadata import version

import pytest

from mocha_lightning.metrics import WER_SIGNATURE, word_error_rate


def test_errors_are_counted_over_the_corpus() -> None:
    """One wrong word of five is 20 %, not the mean (50 %) of 0 % and 100 %."""
    assert word_error_rate(["a b c d", "e"], ["a b c d", "f"]) == pytest.approx(20)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("one two", "one two", 0),
        ("one two", "one", 50),  # a deletion
        ("one two", "one six two", 50),  # an insertion
        ("one two", "one six", 50),  # a substitution
        ("one", "six one two", 200),  # more errors than words
        ("one two", "", 100),
        ("one two", "onetwo", 100),
        ("one two", "One two", 50),  # case is kept
        ("one two", " one  two ", 0),  # spaces only part words
    ],
)
def test_word_edits(reference: str, hypothesis: str, expected: float) -> None:
    assert word_error_rate([reference], [hypothesis]) == pytest.approx(expected)


def test_an_empty_hypothesis_counts_as_deletions_among_others() -> None:
    assert word_error_rate(["a b c", "d"], ["", "d"]) == pytest.approx(75)


def test_as_many_hypotheses_as_references() -> None:
    with pytest.raises(ValueError, match="match"):
        word_error_rate(["a"], ["a", "b"])


def test_the_signature_names_the_level_and_the_library() -> None:
    assert f"wer|corpus|case:kept|tokens:spaces|jiwer:{version('jiwer')}" == WER_SIGNATURE
