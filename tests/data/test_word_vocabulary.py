"""Words by number, extended for each document."""

import pytest

from mocha_lightning.data import WordVocabulary
from mocha_lightning.errors import UserError

VOCABULARY = WordVocabulary(("the", "cat", "."))


def test_numbers_follow_the_four_marks() -> None:
    assert (VOCABULARY.PAD, VOCABULARY.UNK, VOCABULARY.SOS, VOCABULARY.EOS) == (0, 1, 2, 3)
    assert len(VOCABULARY) == 7
    assert VOCABULARY.encode(["the", "cat", "."]) == [4, 5, 6]


def test_an_unknown_word_has_the_number_of_its_first_occurrence() -> None:
    document = ["gnu", "the", "emu", "gnu", "yak", "cat"]
    unknown = VOCABULARY.unknown(document)
    assert unknown == ("gnu", "emu", "yak")
    assert VOCABULARY.encode(document, unknown) == [7, 4, 8, 7, 9, 5]
    assert VOCABULARY.encode(document) == [1, 4, 1, 1, 1, 5]


def test_a_word_that_the_document_lacks_too_is_unknown() -> None:
    assert VOCABULARY.encode(["emu", "okapi"], ("gnu", "emu")) == [8, 1]


def test_numbers_become_words_up_to_the_end_mark() -> None:
    numbers = [2, 4, 8, 0, 1, 7, 6, 3, 5, 99]
    assert VOCABULARY.decode(numbers, ("gnu", "emu")) == ["the", "emu", "[UNK]", "gnu", "."]


def test_a_number_of_no_word_is_refused() -> None:
    with pytest.raises(IndexError):
        VOCABULARY.decode([9], ("gnu", "emu"))


@pytest.mark.parametrize("words", [("a", "b", "a"), ("a", "")])
def test_each_word_has_one_number(words: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="an empty word or one twice"):
        WordVocabulary(words)
