"""Documents in files of rows: JSON lines, CSV or Parquet."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mocha_lightning.data import listing
from mocha_lightning.data.document_texts import Text
from mocha_lightning.errors import UserError

UNDECODED = "surrogateescape"
"""Bytes that are no UTF-8 are kept as what no text can hold, so that the row can be told."""
JSON_LINES, CSV, PARQUET = (".jsonl", ".json"), (".csv",), (".parquet",)
SUFFIXES = (*JSON_LINES, *CSV, *PARQUET)
ROWS_A_TIME = 256


@dataclass(frozen=True)
class Columns:
    """The names of the columns that make a text.

    Args:
        document: the text to be summarised.
        summary: the reference.
        id: a name, unique in its split; None where rows have none and are numbered.
    """

    document: str
    summary: str
    id: str | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Those that every file must have."""
        return (self.document, self.summary, *([] if self.id is None else [self.id]))

    def text(self, row: Mapping[str, Any], split: str, number: int, place: str) -> Text:
        """The text of a row."""
        name = None if self.id is None else row.get(self.id)
        identity = f"{split}-{number:05d}" if name is None else str(name)
        document, summary = row.get(self.document), row.get(self.summary)
        for column, value in ((self.document, document), (self.summary, summary)):
            if not isinstance(value, str | None):
                problem = f"its {column} is {value!r:.50} and no text"
                return Text(identity, split, None, None, place, problem=problem)
        return Text(identity, split, document, summary, place)


def texts_of(path: Path, split: str, columns: Columns, first: int = 1) -> Iterator[Text]:
    """The texts of a file, whose kind its name tells (``.gz`` may follow ``.jsonl`` or ``.csv``).

    Args:
        path: the file.
        split: the split that it is of.
        columns: where the texts are.
        first: the number of the first row, of which an id is made where there is none.

    Raises:
        UserError: it cannot be read or lacks a column. A row that cannot be read is a text with a
            problem.
    """
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix in JSON_LINES:
        yield from _json_texts(path, split, columns, first)
    elif suffix in CSV:
        rows = listing.table(path, columns.needed, UNDECODED)
        for number, entry in enumerate(rows, first):
            yield columns.text(entry.values, split, number, entry.place)
    elif suffix in PARQUET and path.suffix != ".gz":
        for number, row in enumerate(_parquet_rows(path, columns), first):
            place = f"{path}, row {number - first + 1}"
            yield columns.text(row, split, number, place)
    else:
        raise UserError(
            f"{path}: is of no kind that can be read: name a file that ends in "
            f"{', '.join(SUFFIXES)}"
        )


def check_apart(files: Mapping[str, Sequence[str]]) -> None:
    """Check that no split has a file of another: nothing is learnt of a test that was trained on.

    Args:
        files: by split, the SHA-256 of each.

    Raises:
        UserError: one has.
    """
    for one, other in combinations(files, 2):
        if not set(files[one]).isdisjoint(files[other]):
            raise UserError(
                f"data: {one} and {other} have the same file (by its content): give each split "
                "documents of its own"
            )


def file_facts(path: Path) -> dict[str, str]:
    """A file's name and the SHA-256 of its content.

    Raises:
        UserError: it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: is no file that can be read twice: name a file")
    try:
        with path.open("rb") as file:
            return {"file": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}): correct the path or the file"
        ) from error


def _json_texts(path: Path, split: str, columns: Columns, first: int) -> Iterator[Text]:
    checked = False
    for number, (line_number, line) in enumerate(listing.lines(path, UNDECODED), first):
        place = f"{path}, line {line_number}"
        try:
            row = json.loads(line)
            problem = "" if isinstance(row, dict) else "is no JSON object in braces"
        except (ValueError, RecursionError) as error:
            row, problem = None, f"is not JSON ({error})"
        if problem:
            yield Text(f"{split}-{number:05d}", split, None, None, place, problem=problem)
            continue
        # One row may lack a value; of the first it is rather the column's name that is wrong.
        if not checked:
            _check_columns(place, columns, list(row))
        checked = True
        yield columns.text(row, split, number, place)


def _parquet_rows(path: Path, columns: Columns) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            _check_columns(str(path), columns, file.schema_arrow.names)
            for batch in file.iter_batches(ROWS_A_TIME, columns=list(columns.needed)):
                values = {name: _values(batch.column(name)) for name in columns.needed}
                for row in range(batch.num_rows):
                    yield {name: column[row] for name, column in values.items()}
    # A value that Python cannot express (bytes of a dictionary, a time) is a ValueError or an
    # OverflowError.
    except (OSError, pa.ArrowException, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"{path}: cannot be read ({reason:.200}): correct the path or the file"
        ) from error


def _values(column: pa.Array) -> list[Any]:
    """The values of a column; of texts, with what is no UTF-8 in them."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        plain = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
        return [
            None if value is None else value.decode("utf-8", UNDECODED)
            for value in column.cast(plain).to_pylist()
        ]
    values: list[Any] = column.to_pylist()
    return values


def _check_columns(place: str, columns: Columns, there: list[str]) -> None:
    for name in columns.needed:
        times = there.count(name)
        if times != 1:
            has = f"the column {name} {times} times" if times else f"no column {name}"
            raise UserError(
                f"{place}: has {has} (but {', '.join(there)}): correct the names of the columns "
                "(data.*) or the file"
            )
