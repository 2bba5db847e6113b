"""Lists of recordings in files that users write: which file is which split, line by line."""

import csv
import gzip
import json
import os
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.errors import UserError

CHARACTERS = " abcdefghijklmnopqrstuvwxyz'"
"""Of English transcripts without punctuation."""
MOST_SECONDS = 1e9
"""Thirty years."""
LONGEST_VALUE = 1 << 28
"""Characters in one value of a table; the library's own limit is a document of 20,000 words."""


@dataclass(frozen=True)
class SplitFiles:
    """The files that list a corpus: one with the split on each line, or one for each split.

    Args:
        name: the argument that names the one file, for messages.
        together: the one file.
        train: the file of the training split.
        validation: the file of the validation split.
        test: the file of the test split.

    Raises:
        UserError: neither one file nor three.
    """

    name: str
    together: str | None
    train: str | None
    validation: str | None
    test: str | None

    def __post_init__(self) -> None:
        own = [split for split in SPLITS if getattr(self, split) is not None]
        if len(own) != (len(SPLITS) if self.together is None else 0):
            raise UserError(
                f"data.{self.name}, data.train, data.validation and data.test: give either the "
                "first, whose lines name their split, or the other three"
            )

    def paths(self, folder: Path = Path()) -> list[tuple[Path, str | None]]:
        """Each file, and the split of all its lines; None where the lines name their own."""
        if self.together is not None:
            return [(folder / self.together, None)]
        return [(folder / getattr(self, split), split) for split in SPLITS]


@dataclass(frozen=True)
class Entry:
    """One line of a list: values by name, and where it stands for messages.

    Args:
        values: by name.
        place: file and line.
        folder: the one that the list lies in, from which paths start.
    """

    values: dict[str, Any]
    place: str
    folder: Path

    def error(self, problem: str) -> UserError:
        """An error that begins with the place."""
        return UserError(f"{self.place}: {problem}")

    def text(self, name: str, default: str | None = None) -> str | None:
        """A text; the default where there is none."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            raise self.error(f"{name} is {value!r}: write it as text")
        return default if value is None else value

    def path(self, name: str) -> Path:
        """An absolute path; one that is written relative starts from the list's folder."""
        value = self.text(name)
        if not value:
            raise self.error(f"has no {name}: name a sound file there")
        # A null byte or half a character can be in JSON, and in no file's name.
        try:
            nameable = b"\0" not in os.fsencode(value)
        except UnicodeEncodeError:
            nameable = False
        if not nameable:
            raise self.error(f"{name} is {value!r}, which no file can be called")
        return absolute(self.folder / value)

    def seconds(self, name: str) -> float | None:
        """A time that is not negative."""
        value = self.values.get(name)
        if value is None:
            return None
        number = isinstance(value, int | float) and not isinstance(value, bool)
        # No recording is as long; far greater numbers cannot even be multiplied by a sample rate.
        if not number or not 0 <= value <= MOST_SECONDS:
            raise self.error(f"{name} is {value!r}: write seconds, as a number from 0 on")
        return float(value)

    def split(self, default: str | None) -> str:
        """The split of this line: that of its file, or the one it names."""
        if default is not None:
            return default
        value = self.values.get("split")
        if value not in SPLITS:
            raise self.error(f"split is {value!r}: write train, validation or test")
        return str(value)


RELATIVE = "a relative path starts from the folder that the command is given in"


def no_folder(folder: Path) -> UserError:
    """What to say of a corpus's folder that is not there."""
    return UserError(f"{folder.resolve()}: no such folder: correct data.folder ({RELATIVE})")


def _from_here(path: Path) -> str:
    """What to add where a path that is not there is relative."""
    return "" if path.is_absolute() else f" ({RELATIVE})"


def absolute(path: Path) -> Path:
    """The path from the root, without ``..``; links are left as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def common_folder(paths: Iterable[Path]) -> Path:
    """The folder that all files lie in, themselves or in folders of it.

    What is named from there keeps its name when the corpus is moved.
    """
    folders = {str(path.parent) for path in paths}
    return Path(os.path.commonpath(folders)) if folders else Path()


def lines(path: Path, errors: str = "strict") -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file that are not blank, with their numbers; .gz is unpacked.

    Line ends of either kind and a byte order mark are left out.

    Args:
        path: the file.
        errors: what is done with bytes that are no UTF-8, as for ``bytes.decode``.

    Raises:
        UserError: the file cannot be opened, unpacked or decoded.
    """
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8", errors).rstrip("\r\n")
                if text.strip():
                    yield number, text
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}, line {number}: is not UTF-8 ({error.reason}): save the file as UTF-8"
        ) from error
    except (EOFError, OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        remedy = "correct the path or the file"
        if isinstance(error, FileNotFoundError):
            remedy += _from_here(path)
        raise UserError(f"{path}: cannot be read ({reason}): {remedy}") from error


def json_entries(path: Path) -> Iterator[Entry]:
    """The lines of a file, each of which is one JSON object.

    Raises:
        UserError: as :func:`lines`; also where a line is something else.
    """
    for number, line in lines(path):
        place = f"{path}, line {number}"
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{place}: is not JSON ({error}): correct the line") from error
        if not isinstance(values, dict):
            raise UserError(f"{place}: is no JSON object in braces: correct the line")
        yield Entry(values, place, path.parent)


def table(path: Path, needed: tuple[str, ...], errors: str = "strict") -> Iterator[Entry]:
    """The rows of a CSV file below its first line, which names the columns.

    Args:
        path: the file.
        needed: columns that it must have.
        errors: as for :func:`lines`.

    Raises:
        UserError: it is not there or cannot be read, or a column is missing.
    """
    remedy = f"write the table there, with a first line that names the columns {', '.join(needed)}"
    if not path.is_file():
        problem = "is no file" if path.exists() else "no such file"
        raise UserError(f"{path}: {problem}: {remedy}, or correct the path{_from_here(path)}")
    numbers: list[int] = []
    csv.field_size_limit(LONGEST_VALUE)

    def text() -> Iterator[str]:
        for number, line in lines(path, errors):
            numbers.append(number)
            yield line + "\n"

    rows = csv.reader(text(), strict=True)
    try:
        columns = [column.strip() for column in next(rows, [])]
        if not columns:
            raise UserError(f"{path}: is empty: {remedy}")
        for column in needed:
            if columns.count(column) != 1:
                raise UserError(
                    f"{path}, line 1: has the column {column} {columns.count(column)} times (it "
                    f"has {', '.join(columns)[:200]!r}): the first line must name each of "
                    f"{', '.join(needed)} once, parted by commas"
                )
        for row in rows:
            place = f"{path}, line {numbers[-1]}"
            if len(row) != len(columns):
                raise UserError(
                    f"{place}: has {len(row)} values for {len(columns)} columns: put quotes round "
                    "a value that holds a comma"
                )
            yield Entry(dict(zip(columns, row, strict=True)), place, path.parent)
    except csv.Error as error:
        raise UserError(
            f"{path}, line {numbers[-1]}: is not CSV ({error}): correct the line"
        ) from error


def transcript(text: str | None, lower_case: bool) -> str | None:
    """A transcript with single spaces between words and composed letters (Unicode's NFC)."""
    if text is None:
        return None
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    return text.lower() if lower_case else text


def vocabulary(characters: str) -> Vocabulary:
    """Each character a symbol.

    Raises:
        UserError: one is there twice, or the space is missing.
    """
    if " " not in characters or len(set(characters)) < len(characters):
        raise UserError(
            f"data.characters is {characters!r}: it must hold each character once, and the space, "
            "which parts words"
        )
    return Vocabulary(tuple(characters))
