"""Rows of files: JSON lines, or plain text with a text a line."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError

IDS = ("id", "utterance")
"""Columns that name a record: of documents, of speech."""
JSON_LINES = (".jsonl", ".json", ".ndjson")
"""How the names of files end that are read so; any other is plain text."""


@dataclass(frozen=True)
class Row:
    """A line of a file.

    Attributes:
        file: which.
        number: the line's, from 1.
        values: by column.
    """

    file: Path
    number: int
    values: dict[str, Any]

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.file}, line {self.number}"


def is_json(path: Path) -> bool:
    """Whether a file is read as JSON lines."""
    return path.name.lower().endswith(JSON_LINES)


def rows_of(path: Path, column: str) -> list[Row]:
    """The rows of a file; those of plain text have that one column.

    Raises:
        UserError: it cannot be read, is empty, or has a line that is no text or no JSON object.
    """
    parse: Callable[[Path, int, str], dict[str, Any]] = (
        _object if is_json(path) else lambda _path, _number, line: {column: line}
    )
    rows = [Row(path, number, parse(path, number, line)) for number, line in _lines(path)]
    if not rows:
        raise UserError(f"{path}: is empty: give a file with a text in each line")
    return rows


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines by number; of JSON lines not the empty ones, which in plain text are texts."""
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise UserError(
            f"{path}: is a folder: give a file (of a run, the run's folder without --predictions)"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path}: cannot be read ({reason}): give another file") from error
    # By line feeds alone, so that numbers are an editor's; other line ends may be within a text.
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode().removesuffix("\r")
        except UnicodeDecodeError as error:
            raise UserError(
                f"{path}, line {number}: is not UTF-8 (byte {error.start + 1} of the line): "
                "convert the file"
            ) from error
        if text.strip() or not is_json(path):
            yield number, text


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        said = " ".join(str(error).split())
        raise UserError(f"{path}, line {number}: is no JSON ({said}): mend it") from error
    if not isinstance(found, dict):
        raise UserError(
            f"{path}, line {number}: is no JSON object: write "
            '{"reference": ..., "hypothesis": ...} in each line'
        )
    return found


def names_of(rows: Sequence[Row], column: str | None) -> list[str] | None:
    """What the records are called; None where they have no names.

    Args:
        rows: all that must have different names.
        column: the names', where it is none of :data:`IDS`.

    Raises:
        UserError: some have and others have not, or two are called the same.
    """
    keys = IDS if column is None else (column, *IDS)
    key = next((name for name in keys if name in rows[0].values), None)
    if key is None:
        return None
    at: dict[str, Row] = {}
    for row in rows:
        value = row.values.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int):
            problem = "has no" if key not in row.values else "has neither text nor number as its"
            raise UserError(f"{row.place}: {problem} {key!r}: give each line one")
        name = str(value)
        if name in at:
            first = f"line {at[name].number}" if at[name].file == row.file else at[name].place
            raise UserError(
                f"{row.place}: has the {key} {name!r} of {first}: each text must be there once"
            )
        at[name] = row
    return list(at)


def text_of(row: Row, column: str, option: str) -> str:
    """The text of a column.

    Args:
        row: where it is.
        column: what the column is called.
        option: of the command, with which another is named; empty where none does.

    Raises:
        UserError: there is none.
    """
    value = row.values.get(column)
    if not isinstance(value, str):
        problem = "has no" if column not in row.values else "has no text as its"
        there = ", ".join(map(repr, row.values)) or "nothing"
        other = f", or name another column with {option}" if option else ""
        raise UserError(
            f"{row.place}: {problem} {column!r} (it has {there}): give each line one{other}"
        )
    return value
