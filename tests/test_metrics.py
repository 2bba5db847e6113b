"""Scores say exactly what they compute."""

from importlib.metadata import version

import pytest

from mocha_lightning.metrics import WER_SIGNATURE, exact_match, rouge, word_error_rate


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


# -- ROUGE and exact match -----------------------------------------------------------------------


def test_rouge_is_the_mean_f1_of_the_documents_in_per_cent() -> None:
    references = ["the cat sat .\nit slept .", "one two three"]
    hypotheses = ["the cats slept .", ""]
    found = rouge(references, hypotheses)
    # the, cat and slept of three words and of five; the cat of two pairs and of four.
    assert found["rouge1"] == pytest.approx(100 * 2 * 3 / (3 + 5) / 2)
    assert found["rouge2"] == pytest.approx(100 * 2 * 1 / (2 + 4) / 2)
    assert found["rougeL"] == pytest.approx(100 * 2 * 3 / (3 + 5) / 2)
    assert set(found) == {"rouge1", "rouge2", "rougeL", "rougeLsum"}


def test_sentences_are_lines_in_rouge_l_of_summaries() -> None:
    reference, hypothesis = "a b\nc d", "c d\na b"
    found = rouge([reference], [hypothesis])
    assert found["rougeL"] == pytest.approx(50)
    assert found["rougeLsum"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [("a b .", "a b .", 100), ("A b .", "a  b\n.", 100), ("a b", "a", 0), ("a b", "b a", 0)],
)
def test_an_exact_match_has_all_words_in_order(
    reference: str, hypothesis: str, expected: float
) -> None:
    assert exact_match([reference], [hypothesis]) == expected


def test_as_many_texts_on_either_side() -> None:
    for measure in (rouge, exact_match):
        with pytest.raises(ValueError, match="shorter"):
            measure(["a", "b"], ["a"])
