"""Words and sentences, held against the conventions of the Penn Treebank."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mocha_lightning.data.tokenizing import (
    SpaceTokenizer,
    TreebankTokenizer,
    sentences_of,
    with_full_stop,
)

TREEBANK = TreebankTokenizer()


@pytest.mark.parametrize(
    ("text", "stop"), [("the u.s.", True), ("a.b.c.", True), ("xa.b.", False), ("it is.", False)]
)
def test_a_sentence_that_ends_with_an_acronym_has_a_stop_of_its_own(text: str, stop: bool) -> None:
    (words,) = TREEBANK.sentences(text)
    assert (words[-2:-1] == [text.split()[-1]]) == stop


def test_a_text_of_a_single_endless_acronym_takes_no_endless_time() -> None:
    start = time.process_time()
    TREEBANK.sentences("a." * 30_000 + "x")
    # Each letter anew took minutes; it takes a tenth of a second.
    assert time.process_time() - start < 10


SPACES = SpaceTokenizer()


def told(text: str) -> list[str]:
    return [" ".join(words) for words in TREEBANK.sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know.", ["i do n't know ."]),
        ("The dog's 3 bones, (old).", ["the dog 's 3 bones , -lrb- old -rrb- ."]),
        ('He said "No!"', ["he said `` no ! ''"]),
        ("It\u2019s \u201cfine\u201d.", ["it 's `` fine '' ."]),
        ("Mr. Smith met Dr. No. They left.", ["mr. smith met dr. no .", "they left ."]),
        ("J. Smith paid $41.1 million.", ["j. smith paid $ 41.1 million ."]),
        ("He left the U.S.", ["he left the u.s. ."]),
        ("In the U.S. he stayed.", ["in the u.s. he stayed ."]),
        ("No full stop\nA new line", ["no full stop", "a new line"]),
        (" \n\t ", []),
    ],
)
def test_running_text_is_cut_as_the_treebank_does(text: str, expected: list[str]) -> None:
    assert told(text) == expected


def test_a_word_holds_no_white_space_of_any_kind() -> None:
    text = "a\u00a0b\u2028c\x85d\x1ee\tf\u3000g"
    for tokenizer in (TREEBANK, SPACES):
        words = [word for sentence in tokenizer.sentences(text) for word in sentence]
        assert words == list("abcdefg")


def test_tokenised_text_is_cut_at_spaces_alone() -> None:
    assert SPACES.sentences("He 's cannot ( x ) . '' Then ?\nlast") == [
        ["he", "'s", "cannot", "(", "x", ")", ".", "''"],
        ["then", "?"],
        ["last"],
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", []),
        ("a b", ["a b"]),
        ("a . b ! c ?", ["a .", "b !", "c ?"]),
        ("a . '' ) b", ["a . '' )", "b"]),
        (") a .", [") a ."]),
        ("a . .", ["a .", "."]),
    ],
)
def test_a_sentence_ends_with_its_stop_and_what_closes_it(words: str, expected: list[str]) -> None:
    assert [" ".join(each) for each in sentences_of(words.split())] == expected


def test_a_line_of_highlights_gets_the_full_stop_that_it_lacks() -> None:
    assert with_full_stop(["a"]) == ["a", "."]
    for end in (".", "!", "?", "...", "''", "-rrb-"):
        assert with_full_stop(["a", end]) == ["a", end]
    assert with_full_stop([]) == []


def test_what_is_tokenised_already_hardly_changes(real_file: Callable[[str], Path]) -> None:
    """Real articles, tokenised by others: nine words in ten thousand differ, or fewer."""
    lines = real_file("cnn_dailymail/test.jsonl").read_text().splitlines()
    words, changed = 0, 0
    for line in lines[:40]:
        article = json.loads(line)["article"].replace("(", "-lrb-").replace(")", "-rrb-")
        before = article.translate(str.maketrans("\u2018\u2019", "''")).split()
        after = [word for sentence in TREEBANK.sentences(article) for word in sentence]
        words += len(before)
        changed += len(set(before) ^ set(after))
    assert words > 20_000
    assert changed / words < 0.01
