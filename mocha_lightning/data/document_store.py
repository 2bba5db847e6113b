"""The texts of a whole corpus on disk, of which only a small index is held in memory.

A folder holds ``documents.jsonl`` (one document a line, in words), ``index.npy`` (where each line
begins, and the counts of :data:`ROW`), ``words.tsv`` (every word with its occurrences in the
training, validation and test split, documents and summaries together; by falling training
frequency, ties by alphabet) and ``corpus.json`` with what the corpus is and the SHA-256 of the
other three.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from mocha_lightning.data.document_texts import TokenizedText
from mocha_lightning.data.sealed_file import SealedFile
from mocha_lightning.data.sealing import checked_sha256
from mocha_lightning.data.strings import SPLITS

DOCUMENTS, INDEX, WORDS = HASHED = "documents.jsonl", "index.npy", "words.tsv"
NEVER = np.iinfo(np.int32).max
ROW = np.dtype(
    [
        ("split", "<i1"),  # its number in SPLITS
        ("start", "<i8"),  # byte
        ("document_words", "<i4"),
        ("summary_words", "<i4"),
        ("copied_words", "<i4"),  # of the summary, those that the document has
        ("commonest", "<i4"),  # the document's word of least rank in words.tsv; NEVER: not trained
    ]
)


class WordCount(NamedTuple):
    """A word and its occurrences in each split, in the order of ``SPLITS``."""

    word: str
    counts: tuple[int, ...]


class DocumentStore:
    """A prepared corpus, opened for reading.

    Args:
        folder: what :func:`write_store` has filled.

    Raises:
        UserError: the files are not those that were written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sha256 = checked_sha256(folder, digest)
        self.index = np.load(folder / INDEX)
        self._documents = SealedFile(folder / DOCUMENTS)
        self._ends = np.append(self.index["start"], (folder / DOCUMENTS).stat().st_size)[1:]

    def __getitem__(self, row: int) -> TokenizedText:
        """One document with its summary.

        Raises:
            UserError: the file has been cut short since it was opened.
        """
        start = int(self.index["start"][row])
        line = bytearray(int(self._ends[row]) - start)
        self._documents.fill(memoryview(line), start)
        return TokenizedText(**json.loads(line))

    def rows(self, split: str) -> ndarray:
        """The rows of one split, in order."""
        return np.flatnonzero(self.index["split"] == SPLITS.index(split))

    def words(self) -> Iterator[WordCount]:
        """Every word of the corpus, by falling training frequency, ties by alphabet."""
        with (self.folder / WORDS).open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                word, *counts = line.rstrip("\n").split("\t")
                yield WordCount(word, tuple(map(int, counts)))

    def vocabulary(self, size: int) -> tuple[str, ...]:
        """The ``size`` most frequent words of the training split, or all where it has fewer."""
        return tuple(word for word, counts in islice(self.words(), size) if counts[0] > 0)


def write_store(folder: Path, texts: Iterable[TokenizedText]) -> None:
    """Write a corpus to a folder, all but ``corpus.json``.

    Args:
        folder: an empty folder.
        texts: in any order of splits.
    """
    counters = {split: Counter[str]() for split in SPLITS}
    rows = []
    with (folder / DOCUMENTS).open("wb") as file:
        for text in texts:
            document, summary = text.document.split(), text.summary.split()
            copied = sum(map(set(document).__contains__, summary))
            split = SPLITS.index(text.split)
            rows.append((split, file.tell(), len(document), len(summary), copied, NEVER))
            file.write(json.dumps(vars(text), ensure_ascii=False).encode() + b"\n")
            counters[text.split].update(document)
            counters[text.split].update(summary)
    index = np.array(rows, ROW)
    ranks = _write_words(folder / WORDS, counters)
    with (folder / DOCUMENTS).open("rb") as lines:
        for row, line in enumerate(lines):
            words = set(json.loads(line)["document"].split())
            index["commonest"][row] = min(ranks.get(word, NEVER) for word in words)
    np.save(folder / INDEX, index)


def _write_words(path: Path, counters: dict[str, Counter[str]]) -> dict[str, int]:
    """Write the table of words; give the ranks, from 0, of those in the training split."""
    train = counters["train"]
    order = sorted(set().union(*counters.values()), key=lambda word: (-train[word], word))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for word in order:
            counts = "\t".join(str(counters[split][word]) for split in SPLITS)
            file.write(f"{word}\t{counts}\n")
    return {word: rank for rank, word in enumerate(order) if train[word] > 0}


def digest(folder: Path) -> str:
    """SHA-256 over the SHA-256 of each file, so that no byte may move from one to the next."""
    sha256 = hashlib.sha256()
    for name in HASHED:
        with (folder / name).open("rb") as file:
            sha256.update(hashlib.file_digest(file, "sha256").digest())
    return sha256.hexdigest()
