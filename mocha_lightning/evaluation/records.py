"""Predictions and references from files: JSON lines, or plain text with a text a line."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError

REFERENCE, HYPOTHESIS, SOURCE, LEAD = "reference", "hypothesis", "source", "lead"
IDS = ("id", "utterance")
"""Columns that name a record: of documents, of speech."""
JSON_LINES = (".jsonl", ".json", ".ndjson")
"""How the names of files end that are read so; any other is plain text."""


@dataclass(frozen=True)
class Predictions:
    """Texts to score, in the same order.

    Attributes:
        references: the true ones.
        systems: what was made, by the column that it is in: ``hypothesis``, and others whose names
            begin so.
        sources: the documents; None where they are not there.
        leads: each document's lead as the corpus defines it; None where that is not there.
    """

    references: list[str]
    systems: dict[str, list[str]]
    sources: list[str] | None
    leads: list[str] | None


@dataclass(frozen=True)
class _Row:
    number: int
    values: dict[str, Any]


def read_predictions(predictions: Path, references: Path | None = None) -> Predictions:
    """Read what is to be scored.

    Args:
        predictions: JSON lines with the column ``hypothesis``, or a text a line.
        references: likewise, with the column ``reference``; None where the predictions have it.
            Where both files name their records the names decide what belongs together, else the
            order of the lines does.

    Raises:
        UserError: a file cannot be read, is empty, or has a line that is none of these; a name is
            there twice; a prediction lacks its reference or a reference its prediction.
    """
    rows = _rows(predictions, HYPOTHESIS)
    names = _names(predictions, rows)
    if references is not None:
        rows = _joined(predictions, rows, names, references)
    elif not _is_json(predictions):
        raise UserError(
            f"{predictions}: is plain text, which has no references beside it: give their file "
            "with --references"
        )
    # Of any row, so that a row which lacks one is told, and the plain one is missed by its name.
    hypotheses = dict.fromkeys(
        [HYPOTHESIS, *(name for row in rows for name in row.values if name.startswith(HYPOTHESIS))]
    )

    def column(name: str) -> list[str]:
        return [_text(predictions, row, name) for row in rows]

    def where_there(name: str) -> list[str] | None:
        return column(name) if all(name in row.values for row in rows) else None

    systems = {name: column(name) for name in hypotheses}
    return Predictions(column(REFERENCE), systems, where_there(SOURCE), where_there(LEAD))


def _joined(predictions: Path, rows: list[_Row], names: list[str] | None, file: Path) -> list[_Row]:
    """The predictions' rows with the references of another file."""
    references = _rows(file, REFERENCE)
    theirs = _names(file, references)
    if names is not None and theirs is not None:
        at = dict(zip(theirs, references, strict=True))
        own = set(names)
        for name, row in zip(names, rows, strict=True):
            if name not in at:
                raise UserError(
                    f"{predictions}, line {row.number}: {name!r} has no reference in {file}: add "
                    "it there or leave the prediction out"
                )
        for name, row in at.items():
            if name not in own:
                raise UserError(
                    f"{file}, line {row.number}: {name!r} has no prediction in {predictions}: add "
                    "it there or leave the reference out"
                )
        pairs = [(row, at[name]) for name, row in zip(names, rows, strict=True)]
    else:
        if len(rows) != len(references):
            longer, of, lacking, what = (
                (predictions, rows, file, "reference")
                if len(rows) > len(references)
                else (file, references, predictions, "prediction")
            )
            number = of[min(len(rows), len(references))].number
            raise UserError(
                f"{longer}, line {number}: has no {what}: {lacking} has "
                f"{min(len(rows), len(references))} texts and {longer} {len(of)}: give files with "
                "as many texts, or ids in both"
            )
        pairs = list(zip(rows, references, strict=True))
    for _, reference in pairs:
        _text(file, reference, REFERENCE)
    return [
        _Row(row.number, {**row.values, REFERENCE: reference.values[REFERENCE]})
        for row, reference in pairs
    ]


def _is_json(path: Path) -> bool:
    return path.name.lower().endswith(JSON_LINES)


def _rows(path: Path, column: str) -> list[_Row]:
    """The rows of a file; those of plain text have that one column."""
    parse: Callable[[Path, int, str], dict[str, Any]] = (
        _object if _is_json(path) else lambda _path, _number, line: {column: line}
    )
    rows = [_Row(number, parse(path, number, line)) for number, line in _lines(path)]
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
        if text.strip() or not _is_json(path):
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
            f'{{"{REFERENCE}": ..., "{HYPOTHESIS}": ...}} in each line'
        )
    return found


def _names(path: Path, rows: Sequence[_Row]) -> list[str] | None:
    """What the records are called; None where they have no names.

    Raises:
        UserError: some have and others have not, or two are called the same.
    """
    key = next((name for name in IDS if name in rows[0].values), None)
    if key is None:
        return None
    at: dict[str, int] = {}
    for row in rows:
        value = row.values.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int):
            problem = "has no" if key not in row.values else "has neither text nor number as its"
            raise UserError(f"{path}, line {row.number}: {problem} {key!r}: give each line one")
        name = str(value)
        if name in at:
            raise UserError(
                f"{path}, line {row.number}: has the {key} {name!r} of line {at[name]}: each "
                "text must be there once"
            )
        at[name] = row.number
    return list(at)


def _text(path: Path, row: _Row, column: str) -> str:
    value = row.values.get(column)
    if not isinstance(value, str):
        problem = "has no" if column not in row.values else "has no text as its"
        there = ", ".join(map(repr, row.values)) or "nothing"
        raise UserError(
            f"{path}, line {row.number}: {problem} {column!r} (it has {there}): give each line one"
        )
    return value
