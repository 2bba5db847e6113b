"""The files of the Wall Street Journal corpora (LDC93S6A, LDC94S13A), however disks were copied."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mocha_lightning.data import listing
from mocha_lightning.errors import UserError

DISK = re.compile(r"(\d\d)[-_](\d+)[._](\d+)")
TOP = ("wsj0", "wsj1")
KINDS = (".wv1", ".dot", ".ndx")
LINE = re.compile(r"(\d+_\d+_\d+):\s*/?(\S+)")
TRANSCRIBED = re.compile(r"(.*)\((\w{8})\)\s*")


class Listed(NamedTuple):
    """A line of an index: the disk (``11_1_1``), the path on it, and where the line stands."""

    disk: str
    name: str
    place: str


class WsjDisks:
    """All waveforms (first channel), transcripts and indices below a folder, by name.

    Names are compared in lower case, since some disks come in upper case. A disk's folder may be
    called 11-13.1 or 11_13_1, or be left out where disks were copied over each other.

    Args:
        folder: the folder.

    Raises:
        UserError: it is missing, or holds nothing of the corpus.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise listing.no_folder(folder)
        self.folder = folder
        self._files: dict[str, dict[str, Path]] = {}
        self._transcripts: dict[str, list[Path]] = {}
        self._texts: dict[str, dict[str, str]] = {}
        for path in sorted(_files(folder)):
            disk, name = _place(path.relative_to(folder).parts)
            if name:
                self._files.setdefault(name, {})[disk] = path
            if path.suffix.lower() == ".dot":
                self._transcripts.setdefault(path.stem.lower()[:6], []).append(path)
        if not self._files:
            raise UserError(
                f"{folder.resolve()}: holds no folder wsj0 or wsj1 with .wv1, .dot or .ndx files: "
                "correct data.folder"
            )
        self.disks = {disk for on in self._files.values() for disk in on}

    def find(self, disk: str, name: str) -> Path | None:
        """A file by the disk that should hold it and its path there; else on any other disk."""
        on = self._files.get(name.lower(), {})
        return on.get(disk) or next(iter(on.values()), None)

    def index(self, path: Path) -> Iterator[Listed]:
        """The waveforms that an index lists; one whose name lacks .wv1 gets it.

        Raises:
            UserError: a line is no comment and not ``disk:path``.
        """
        for number, line in listing.lines(path):
            if line.startswith(";"):
                continue
            match = LINE.fullmatch(line.strip())
            if match is None:
                raise UserError(
                    f"{path}, line {number}: {line!r} is not disk:path (as "
                    "11_1_1:wsj0/si_tr_s/01i/01ic0201.wv1): copy the file from the disk again"
                )
            disk, name = match[1], match[2].lower()
            yield Listed(
                disk, name if name.endswith(".wv1") else f"{name}.wv1", f"{path}, line {number}"
            )

    def transcript(self, utterance: str) -> str | None:
        """The detailed orthographic transcript of an utterance, if there is one.

        Files are named by speaker and session, the first six characters of an utterance's name.

        Raises:
            UserError: a line of its file does not end in an utterance's name in brackets.
        """
        session = utterance[:6]
        if session in self._transcripts:
            texts = self._texts.setdefault(session, {})
            for path in self._transcripts.pop(session):
                for number, line in listing.lines(path):
                    match = TRANSCRIBED.fullmatch(line)
                    if match is None:
                        raise UserError(
                            f"{path}, line {number}: does not end in an utterance's name in "
                            "brackets: copy the file from the disk again"
                        )
                    texts.setdefault(match[2].lower(), match[1].strip())
        return self._texts.get(session, {}).get(utterance)


def _files(folder: Path) -> Iterator[Path]:
    """All files of :data:`KINDS`. Links are followed, each folder is seen once."""
    seen: set[tuple[int, int]] = set()
    for parent, folders, names in os.walk(folder, followlinks=True):
        status = os.stat(parent)  # noqa: PTH116
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders.sort()
        yield from (Path(parent, name) for name in names if name.lower().endswith(KINDS))


def _place(parts: tuple[str, ...]) -> tuple[str, str]:
    """The disk (``11_13_1``; empty where none is named) and the lower-case path on it."""
    disk = ""
    for number, part in enumerate(parts):
        match = DISK.fullmatch(part)
        if match:
            disk, parts = "_".join(match.groups()), parts[number + 1 :]
            break
    lower = [part.lower() for part in parts]
    top = next((number for number, part in enumerate(lower) if part in TOP), None)
    return disk, "" if top is None else "/".join(lower[top:])
