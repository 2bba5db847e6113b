"""Documents as they are given: a file or standard input for each, or a row of a file for each."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mocha_lightning.data.document_rows import SUFFIXES, Columns, texts_of
from mocha_lightning.data.document_texts import DocumentLimits, LeftOut, Reading
from mocha_lightning.data.tokenizing import Tokenizer
from mocha_lightning.data.word_feed import WordFeed
from mocha_lightning.errors import UserError
from mocha_lightning.summarization.options import STANDARD_INPUT_NAME

PIECE = 1 << 16
"""Bytes that are read at a time."""


@dataclass(frozen=True)
class Document:
    """A document to be summarised.

    Attributes:
        name: in messages and before its summary.
        words: its first, as many at least as are read.
        length: how many it has.
        row: of a row of a file: its ``id``, its ``source`` in words, and its ``reference`` likewise
            where that has a column, as a run's predictions have them.
    """

    name: str
    words: list[str]
    length: int
    row: Mapping[str, str] = field(default_factory=dict)


def text_document(name: str, most: int, tokenizer: Tokenizer) -> Document:
    """A file, or standard input, as one document.

    Args:
        name: the file's.
        most: words that are read; what follows is counted and not kept, so that a text without end
            takes no memory without end.
        tokenizer: cuts it into words.

    Raises:
        UserError: it cannot be read, is not UTF-8, has no word, or is a file of rows.
    """
    if name != STANDARD_INPUT_NAME and Path(name.removesuffix(".gz")).suffix in SUFFIXES:
        raise UserError(
            "is a file of rows by its name: say with --document-column which column is to be "
            "summarised"
        )
    feed = WordFeed(tokenizer)
    words: list[str] = []
    length = 0

    def take(fresh: list[str]) -> None:
        nonlocal length
        length += len(fresh)
        words.extend(fresh[: most - len(words)])

    for data in standard_input() if name == STANDARD_INPUT_NAME else _file(Path(name)):
        take(feed.accept(data))
    take(feed.finish())
    if not words:
        raise UserError("has no word: give a text")
    return Document(name, words, length)


def row_documents(
    path: Path, columns: Columns, with_reference: bool, tokenizer: Tokenizer
) -> Iterator[Document | LeftOut]:
    """The rows of a file, cut into words as a corpus is; what cannot be used in its place.

    Args:
        path: JSON lines, CSV or Parquet.
        columns: where its texts are.
        with_reference: whether the summaries' column holds references.
        tokenizer: cuts them into words.

    Raises:
        UserError: the file cannot be read, or lacks a column.
    """
    reading = Reading(tokenizer, False, DocumentLimits(None, "stop"))
    for text in texts_of(path, "row", columns):
        kept = reading(text)
        if isinstance(kept, LeftOut):
            yield kept
            continue
        row = {"id": kept.id, "source": kept.document}
        if with_reference:
            row["reference"] = kept.summary
        words = kept.document.split()
        yield Document(kept.id, words, len(words), row)


def standard_input() -> Iterator[bytes]:
    """What comes, as it comes.

    Raises:
        UserError: it cannot be read.
    """
    if sys.stdin is None:
        raise UserError("is closed: give it a text, as in `... | mocha-lightning summarize -`")
    try:
        while data := os.read(sys.stdin.fileno(), PIECE):
            yield data
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror}): give it a text") from error


def _file(path: Path) -> Iterator[bytes]:
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise UserError("is a folder: give the files in it")
        with path.open("rb") as file:
            while data := file.read(PIECE):
                yield data
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"cannot be read ({reason}): give another file") from error
