"""Scores say exactly what they compute."""

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from mocha_lightning.metrics import (
    WER_SIGNATURE,
    exact_match,
    exact_matches,
    mean_interval,
    rouge,
    rouge_f1,
    without_rouge_words,
    word_error_rate,
    word_errors,
)


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


def test_scores_of_each_document_have_the_corpus_score_for_their_mean() -> None:
    references = ["the cat sat .\nit slept .", "one two three", "a"]
    hypotheses = ["the cats slept .", "", "a"]
    whole, each = rouge(references, hypotheses), rouge_f1(references, hypotheses)
    for name, values in each.items():
        assert len(values) == 3
        assert (values[1], values[2]) == (0, 0 if name == "rouge2" else 1)
        assert 100 * values.mean() == pytest.approx(whole[name])
    matches = exact_matches(references, hypotheses)
    assert matches.tolist() == [False, False, True]


def test_word_errors_are_those_of_each_utterance() -> None:
    edits, words = word_errors(["a b c d", "e", "f g"], ["a x c", "e", "f g h"])
    assert edits.tolist() == [2, 0, 1]
    assert words.tolist() == [4, 1, 2]
    assert word_error_rate(["a b c d", "e", "f g"], ["a x c", "e", "f g h"]) == pytest.approx(
        100 * edits.sum() / words.sum()
    )
    with pytest.raises(ValueError, match="longer"):
        word_errors(["a"], ["a", "b"])


def test_texts_in_other_scripts_have_no_word_for_rouge_and_that_is_said_once() -> None:
    references = ["кот спал", "猫", "the cat", ". ! ?", "", "Ünïcode", "кот 7"]
    assert without_rouge_words(references) == 2
    with pytest.warns(UserWarning, match="2 of 7 references have none, and score 0") as caught:
        found = rouge(references, references)
    assert len(caught) == 1
    assert found["rouge1"] == pytest.approx(100 * 3 / 7)


def test_rouge_of_published_outputs_is_what_their_paper_says(
    real_file: Callable[[str], Path],
) -> None:
    """See et al. (2017), Table 1, on all 11,490 documents; here are 120 of them."""
    folder = real_file("cnn_dailymail/published_system_outputs.jsonl").parent
    reference = {
        row["id"]: row["highlights"]
        for split in ("train", "validation", "test")
        for row in map(json.loads, (folder / f"{split}.jsonl").open(encoding="utf-8"))
    }
    lines = (folder / "published_system_outputs.jsonl").open(encoding="utf-8")
    rows = [json.loads(line) for line in lines][:120]
    for system, published in (
        ("seq2seq_attention", {"rouge1": 31.33, "rouge2": 11.81, "rougeLsum": 28.83}),
        ("pointer_generator_coverage", {"rouge1": 39.53, "rouge2": 17.28, "rougeLsum": 36.38}),
    ):
        texts = [row[system] for row in rows]
        found = rouge_f1([reference[row["id"]] for row in rows], texts)
        for name, value in published.items():
            # Three standard errors, by the usual formula and not by the bootstrap.
            error = found[name].std(ddof=1) / len(rows) ** 0.5
            assert found[name].mean() == pytest.approx(value / 100, abs=3 * error)
            low, high = mean_interval(found[name])
            assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.2)
