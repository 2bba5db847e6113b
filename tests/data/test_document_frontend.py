"""What a checkpoint keeps of a corpus of documents."""

from pathlib import Path
from typing import Any

import pytest
import torch

from mocha_lightning.data import DocumentFile, WordVocabulary
from mocha_lightning.data.document_frontend import DocumentFrontend
from mocha_lightning.data.tokenizing import SpaceTokenizer, TreebankTokenizer
from mocha_lightning.errors import UserError

from .texts import Written, opened

FRONTEND = DocumentFrontend("SpaceTokenizer", "white space", 40, WordVocabulary(("b", "a")), "5e")


def test_it_comes_back_from_a_file_that_holds_plain_values_alone(tmp_path: Path) -> None:
    torch.save(FRONTEND.state_dict(), tmp_path / "state")
    again = DocumentFrontend.of_state_dict(torch.load(tmp_path / "state", weights_only=True))
    assert again == FRONTEND


def test_a_corpus_keeps_its_own(tmp_path: Path) -> None:
    data = opened(Written(tmp_path, vocabulary_size=4, source_words=6))
    kept = DocumentFrontend.of_state_dict(data.state_dict())
    assert kept.vocabulary == data.spec.vocabulary
    assert (kept.tokenizer, kept.source_words, kept.sha256) == ("SpaceTokenizer", 6, data.sha256)
    assert isinstance(kept.build_tokenizer(), SpaceTokenizer)


def test_running_text_and_tokenised_text_are_told_apart() -> None:
    for tokenised, tokenizer in ((True, SpaceTokenizer), (False, TreebankTokenizer)):
        data = DocumentFile("a", "b", "c", tokenised=tokenised)
        name = type(data.reading.tokenizer).__name__
        frontend = DocumentFrontend(name, "", 1, WordVocabulary(()), "")
        assert type(frontend.build_tokenizer()) is tokenizer


def test_a_run_goes_on_with_the_corpus_that_it_was_begun_with(tmp_path: Path) -> None:
    data = opened(Written(tmp_path))
    data.load_state_dict(data.state_dict())
    smaller = opened(Written(tmp_path, vocabulary_size=3))
    with pytest.raises(UserError, match=r"of another corpus: its vocabulary is .* and here it is"):
        smaller.load_state_dict(data.state_dict())
    with pytest.raises(UserError, match="of another corpus: its data SHA-256 is 0000, and here"):
        data.load_state_dict({**data.state_dict(), "sha256": "0000"})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 2}, "is in format 2, and this version reads format 1"),
        ({"words": None}, "is damaged"),
        ({"words": [1]}, "is damaged .TypeError: a word is no text"),
        ({"words": ["a", "a"]}, "is damaged"),
        ({"source_words": "many"}, "is damaged"),
    ],
)
def test_what_it_is_not_is_said(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=f"what it keeps of its corpus {said}"):
        DocumentFrontend.of_state_dict({**FRONTEND.state_dict(), **changes})


def test_a_tokenizer_of_ones_own_cannot_be_built_again() -> None:
    own = DocumentFrontend.of_state_dict({**FRONTEND.state_dict(), "tokenizer": "Own"})
    with pytest.raises(UserError, match="was cut into words by Own, and only SpaceTokenizer and"):
        own.build_tokenizer()
