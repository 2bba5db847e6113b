"""Preparing a corpus of documents: texts are cut into words, and what cannot be used is told."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mocha_lightning.data.document_store import digest, write_store
from mocha_lightning.data.document_texts import (
    LeftOut,
    Reading,
    Text,
    TokenizedText,
    read_texts,
)
from mocha_lightning.data.left_out import (
    DOCUMENTS,
    check_usable,
    counted,
    read_account,
    tell,
    write_account,
)
from mocha_lightning.data.sealing import ABOUT, about_of
from mocha_lightning.data.workers import in_order
from mocha_lightning.errors import UserError

TEXTS_A_CALL = 64
"""Texts that a process is given at a time."""


def prepare_documents(
    folder: Path,
    corpus: str,
    texts: Iterable[Text],
    reading: Reading,
    identity: dict[str, Any],
    processes: int,
) -> None:
    """Fill an empty folder with a corpus; what was left out is told there and on standard error.

    Args:
        folder: the folder.
        corpus: the corpus's name, for messages.
        texts: all documents of all splits.
        reading: how they become words, and which are used.
        identity: everything that decides the content.
        processes: that cut texts into words at the same time.

    Raises:
        UserError: some cannot be used; two have the same id; nothing is left of a split.
    """
    left_out: list[LeftOut] = []
    outcomes = _outcomes(texts, reading, processes)
    droppable = reading.limits.droppable
    write_store(folder, _usable(outcomes, left_out, droppable, corpus))
    write_account(folder, left_out)
    about = about_of(folder, digest, identity)
    (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n")
    tell(left_out_of(folder))


def left_out_of(folder: Path) -> dict[str, dict[str, int]]:
    """How many documents were left out of a prepared corpus, by split and reason.

    Raises:
        UserError: that is not told there.
    """
    return counted((item["split"], item["reason"]) for item in read_account(folder))


def _usable(
    outcomes: Iterable[TokenizedText | LeftOut],
    left_out: list[LeftOut],
    droppable: frozenset[Any],
    corpus: str,
) -> Iterator[TokenizedText]:
    """Texts in words, until one cannot be used that must be; from then on only the list grows."""
    used: Counter[str] = Counter()
    doomed = False
    for outcome in outcomes:
        if isinstance(outcome, TokenizedText):
            used[outcome.split] += 1
            if not doomed:
                yield outcome
        else:
            left_out.append(outcome)
            doomed = doomed or outcome.reason not in droppable
    check_usable(corpus, DOCUMENTS, used, left_out, droppable)


def _outcomes(
    texts: Iterable[Text], reading: Reading, processes: int
) -> Iterator[TokenizedText | LeftOut]:
    columns = (TextColumn("Cutting documents into words"), MofNCompleteColumn())
    read = partial(read_texts, reading)
    with (
        Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress,
        closing(in_order(read, _grouped(unique(texts)), processes)) as results,
    ):
        task = progress.add_task("", total=None)
        for _, outcomes in results:
            yield from outcomes
            progress.advance(task, len(outcomes))


def _grouped(texts: Iterator[Text]) -> Iterator[list[Text]]:
    while group := list(islice(texts, TEXTS_A_CALL)):
        yield group


def unique(texts: Iterable[Text]) -> Iterator[Text]:
    """The texts, with their ids checked.

    Raises:
        UserError: two of one split have the same id.
    """
    seen: dict[tuple[str, str], str] = {}
    for text in texts:
        key = text.split, text.id
        if key in seen:
            places = " and ".join(place or text.split for place in (seen[key], text.place))
            raise UserError(
                f"two documents have the id {text.id!r} ({places}): remove one, or give it "
                "another id"
            )
        seen[key] = text.place
        yield text
