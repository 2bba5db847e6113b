"""The texts that tests summarise, and what a run makes of them."""

import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import torch

from mocha_lightning.data import Example
from mocha_lightning.data.document_batches import DocumentBatch
from mocha_lightning.data.tokenizing import TreebankTokenizer
from mocha_lightning.summarization.trained import load_summarization

from .runs import SOURCE_WORDS, VOCABULARY

TEXTS = {
    "a.txt": "The cat sat .\nthe Gnu saw the zebra and ran .",
    "b.txt": "the dog ran and the okapi sat .\n",
}


def give_on_standard_input(monkeypatch: pytest.MonkeyPatch, pieces: Iterable[bytes]) -> None:
    """Have the process read them there, one at a time."""

    class Pieces(io.TextIOWrapper):
        def fileno(self) -> int:
            return 12345

    coming, read = iter(pieces), os.read
    monkeypatch.setattr(sys, "stdin", Pieces(io.BytesIO()))
    monkeypatch.setattr(
        os, "read", lambda at, count: next(coming, b"") if at == 12345 else read(at, count)
    )


def words_of(run: str, text: str, width: int | None = None, running: bool = False) -> list[str]:
    """The summary that the run's own model finds, of a batch that is put together here."""
    task = load_summarization(Path(run)).summarizer
    words = text.lower().split()
    if running:
        words = [word for each in TreebankTokenizer().sentences(text) for word in each]
    words = words[:SOURCE_WORDS]
    unknown = tuple(dict.fromkeys(word for word in words if word not in VOCABULARY.words))
    extended = torch.tensor(
        [
            [
                VOCABULARY.words.index(word) + 4
                if word in VOCABULARY.words
                else len(VOCABULARY) + unknown.index(word)
                for word in words
            ]
        ]
    )
    batch = DocumentBatch(
        extended.masked_fill(extended >= len(VOCABULARY), VOCABULARY.UNK),
        extended,
        torch.tensor([len(words)]),
        torch.tensor([[VOCABULARY.EOS]]),
        torch.tensor([1]),
        (unknown,),
        (Example("x", text, "", {}),),
    )
    found = task.decode(task.read(batch), "hard", width or task.beam_width)
    return VOCABULARY.decode(found.tokens[0].tolist(), unknown)


def change(path: Path, **changes: object) -> None:
    torch.save({**torch.load(path, weights_only=True), **changes}, path)
