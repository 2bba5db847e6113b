"""Characters and their numbers."""

import pytest

from mocha_lightning.data import Vocabulary
from mocha_lightning.errors import UserError


def test_a_text_survives_the_way_there_and_back() -> None:
    vocabulary = Vocabulary()
    numbers = vocabulary.encode("two thirteen")
    assert vocabulary.decode(numbers) == "two thirteen"
    assert set(numbers).isdisjoint({vocabulary.PAD, vocabulary.SOS, vocabulary.EOS})
    assert max(vocabulary.encode("z")) == len(vocabulary) - 1


def test_decoding_stops_at_the_first_end_and_skips_other_marks() -> None:
    vocabulary = Vocabulary()
    (a,) = vocabulary.encode("a")
    marked = [vocabulary.SOS, a, vocabulary.PAD, a, vocabulary.EOS, a]
    assert vocabulary.decode(marked) == "aa"


def test_marks_are_numbered_as_models_expect() -> None:
    assert (Vocabulary.PAD, Vocabulary.SOS, Vocabulary.EOS) == (0, 1, 2)


@pytest.mark.parametrize("text", ["Two", "two-three", "zwölf", "a\tb"])
def test_a_character_outside_is_named(text: str) -> None:
    character = next(c for c in text if c not in "abcdefghijklmnopqrstuvwxyz ")
    with pytest.raises(UserError, match="not in the vocabulary") as error:
        Vocabulary().encode(text)
    assert repr(character) in str(error.value)


def test_a_symbol_of_several_characters_is_one_output() -> None:
    vocabulary = Vocabulary(("<", "a", " ", "<noise>", "<no", "n"))
    numbers = vocabulary.encode("a <noise><n<no")
    assert [vocabulary.symbols[number - 3] for number in numbers] == [
        *("a", " ", "<noise>", "<", "n", "<no")
    ]
    assert vocabulary.decode(numbers) == "a <noise><n<no"


def test_what_only_begins_like_a_longer_symbol_is_foreign() -> None:
    vocabulary = Vocabulary((" ", "a", "<noise>"))
    assert vocabulary.foreign("a <noise> a") is None
    assert vocabulary.foreign("a <noisy>") == "<"
    assert vocabulary.foreign("a\n") == "\n"


@pytest.mark.parametrize("symbols", [("a", "a"), ("a", "")])
def test_a_symbol_is_listed_once_and_is_not_empty(symbols: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="list each symbol once"):
        Vocabulary(symbols)


def test_what_is_not_scored_is_in_no_word_and_makes_none() -> None:
    vocabulary = Vocabulary((" ", "a", "b", "<noise>"), unscored=("<noise>",))
    assert vocabulary.decode(vocabulary.encode("a <noise> b")) == "a <noise> b"
    assert vocabulary.scored("<noise> a <noise>b<noise>a ") == "a b a"
    assert vocabulary.scored("<noise>") == ""


def test_without_such_symbols_a_text_is_scored_as_it_is() -> None:
    assert Vocabulary().scored(" a  b ") == " a  b "


def test_only_a_symbol_can_be_unscored() -> None:
    with pytest.raises(UserError, match="lacks some of"):
        Vocabulary((" ", "a"), unscored=("<noise>",))
