"""Writing a corpus's features to a folder such that a build that was killed can go on.

Beside the energies an unfinished folder holds ``journal.jsonl``, a line for each utterance that
was written or left out, and ``sums.f64``, which the statistics are made of in the end. Every few
seconds what was written is forced to the disk, and only then is it noted in the journal: what the
journal names is there, however the process or the machine ended.
"""

import json
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict, astuple, replace
from io import FileIO
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from jaxtyping import Float64
from numpy import ndarray

from mocha_lightning.data.cache import (
    ENERGIES,
    HASHED,
    STATISTICS,
    UTTERANCES,
    Utterance,
    digest,
)
from mocha_lightning.data.extraction import Extraction
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.data.sealing import ABOUT, about_of
from mocha_lightning.data.unusable import Dropped
from mocha_lightning.errors import UserError

JOURNAL, SUMS = "journal.jsonl", "sums.f64"
COMMIT_SECONDS = 5.0
"""From one time that work is forced to the disk to the next: what a kill can lose."""


class Note(NamedTuple):
    """A line of the journal: what became of one recording.

    Attributes:
        id: of the utterance.
        outcome: the utterance as it was written, or why it was left out.
    """

    id: str
    outcome: Utterance | Dropped

    def to_json(self) -> str:
        """As a line."""
        kind = "used" if isinstance(self.outcome, Utterance) else "dropped"
        return json.dumps({"id": self.id, kind: asdict(self.outcome)}) + "\n"

    @classmethod
    def of(cls, content: Any) -> "Note":
        """Take what ``to_json`` has written, read as JSON.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: it is something else.
        """
        if "used" in content:
            used = Utterance(**content["used"])
            texts = [content["id"], used.id, used.split, used.text, used.speaker]
            if not (
                all(isinstance(text, str) for text in texts)
                and isinstance(used.details, dict)
                and type(used.frames) is int
                and used.frames > 0
                and type(used.seconds) is float
                and 0 < used.seconds < inf
            ):
                raise ValueError(f"{used} is no utterance")
            return cls(used.id, used)
        dropped = Dropped.from_fields(content["dropped"])
        if not all(isinstance(text, str) for text in (content["id"], *astuple(dropped))):
            raise ValueError(f"{dropped} is no utterance that was left out")
        return cls(content["id"], dropped)


class CacheWriter:
    """Appends utterances to an unfinished folder; opened on one again, goes on where it stood.

    To be used in a ``with`` block, whose end writes what is noted, whatever ended it.

    Args:
        folder: an empty folder, or one that another writer has begun with the same features.
        features: what is extracted.

    Raises:
        UserError: the folder's journal is damaged.
    """

    def __init__(self, folder: Path, features: LogMel) -> None:
        self.folder = folder
        self.features = features
        self.notes: list[Note] = []
        """What is done, in order."""
        self._committed = 0, 0
        """How many of them are in the journal, and its bytes."""
        self.frame_bytes = 4 * features.mel_bins
        """Disk that a frame takes."""
        self.row_bytes = 8 * 2 * features.channels * features.mel_bins
        """Disk that an utterance's sums take until all is written."""
        with ExitStack() as opening:
            files = [
                # Unbuffered: nothing is left that a full disk could refuse a second time.
                opening.enter_context((folder / name).open("ab", buffering=0))
                for name in (ENERGIES, SUMS, JOURNAL)
            ]
            self._energies, self._sums, self._journal = files
            self._go_back_to(*self._sound_notes())
            self._close = opening.pop_all()
        self._noted_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Where a full disk ended the work, there may be room for none of the rest.
        with self._close, suppress(OSError) if error else nullcontext():
            self.commit()

    def use(self, utterance: Utterance, extraction: Extraction) -> None:
        """Append an utterance; its length is taken from what was extracted."""
        _write(self._energies, extraction.energies.astype("<f4", copy=False).tobytes())
        _write(self._sums, extraction.sums.astype("<f8", copy=False).tobytes())
        frames = len(extraction.energies)
        self._note(replace(utterance, seconds=extraction.seconds, frames=frames), utterance.id)

    def drop(self, utterance: str, dropped: Dropped) -> None:
        """Note that an utterance (its id is given) is left out, and why."""
        self._note(dropped, utterance)

    @property
    def utterances(self) -> list[Utterance]:
        """Those written, in order."""
        return [note.outcome for note in self.notes if isinstance(note.outcome, Utterance)]

    @property
    def dropped(self) -> list[Dropped]:
        """Those left out, in order."""
        return [note.outcome for note in self.notes if isinstance(note.outcome, Dropped)]

    def commit(self) -> None:
        """Force to the disk what was written, and then note it in the journal."""
        for file in (self._energies, self._sums):
            os.fsync(file.fileno())
        noted, size = self._committed
        lines = "".join(note.to_json() for note in self.notes[noted:]).encode()
        # An earlier commit may have been interrupted in the middle of a line.
        self._journal.truncate(size)
        _write(self._journal, lines)
        os.fsync(self._journal.fileno())
        self._committed = len(self.notes), size + len(lines)
        self._noted_at = time.monotonic()

    def finish(self, identity: dict[str, Any]) -> None:
        """Write statistics, utterances and, last, what the corpus is.

        Each feature (channel and mel bin) will have mean 0 and standard deviation 1 over the frames
        of the training split.

        Args:
            identity: everything that decides the content, kept for the reader.

        Raises:
            UserError: there is no training utterance.
        """
        self.commit()
        utterances = self.utterances
        self._statistics(utterances).save(self.folder / STATISTICS)
        with (self.folder / UTTERANCES).open("w") as lines:
            lines.writelines(json.dumps(asdict(item)) + "\n" for item in utterances)
        for name in HASHED:
            with (self.folder / name).open("rb") as file:
                os.fsync(file.fileno())
        about = about_of(self.folder, digest, identity)
        unfinished = self.folder / f"{ABOUT}.new"
        with unfinished.open("w") as file:
            file.write(json.dumps(about, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self.folder / ABOUT)

    def _statistics(self, utterances: Sequence[Utterance]) -> Normalization:
        shape = (2, self.features.channels, self.features.mel_bins)
        total, count = np.zeros(shape), 0
        with (self.folder / SUMS).open("rb") as file:
            for item in utterances:
                row = np.frombuffer(file.read(self.row_bytes), "<f8").reshape(shape)
                if item.split == "train":
                    total += row
                    count += item.frames
        if count == 0:
            raise UserError("the corpus has no training utterances: there is nothing to train on")
        mean: Float64[ndarray, "channels mel"] = total[0] / count
        # A feature that never changes is left at zero.
        deviation = np.sqrt(np.maximum(total[1] / count - mean**2, 1e-10))
        return Normalization(mean, deviation)

    def _note(self, outcome: Utterance | Dropped, utterance: str) -> None:
        self.notes.append(Note(utterance, outcome))
        if time.monotonic() - self._noted_at >= COMMIT_SECONDS:
            self.commit()

    def _sound_notes(self) -> tuple[list[Note], int]:
        """The journal up to where it, or what it tells of, is cut short; and its bytes up to there.

        After a kill it is only the journal that ends too early; the rest is for disks that lie.

        Raises:
            UserError: a line of it is whole and says what no writer has written.
        """
        notes: list[Note] = []
        used = frames = size = 0
        energies, sums = ((self.folder / name).stat().st_size for name in (ENERGIES, SUMS))
        lines = (self.folder / JOURNAL).read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            try:
                content = json.loads(line.decode())
            except ValueError:
                break
            try:
                note = Note.of(content)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise UserError(
                    f"{(self.folder / JOURNAL).resolve()}, line {number}: is damaged: delete that "
                    "folder, and the corpus is read from its beginning"
                ) from None
            if isinstance(note.outcome, Utterance):
                used, frames = used + 1, frames + note.outcome.frames
            there = self.frame_bytes * frames <= energies and self.row_bytes * used <= sums
            if not line.endswith(b"\n") or not there:
                break
            notes.append(note)
            size += len(line)
        return notes, size

    def _go_back_to(self, notes: list[Note], journal_bytes: int) -> None:
        """Cut the files off after the last of these notes."""
        self.notes = notes
        utterances = self.utterances
        self._journal.truncate(journal_bytes)
        self._energies.truncate(self.frame_bytes * sum(item.frames for item in utterances))
        self._sums.truncate(self.row_bytes * len(utterances))
        self._committed = len(notes), journal_bytes


def completed(folder: Path) -> bool:
    """Whether a folder has all of a corpus; then what a writer needed to go on is removed."""
    if not (folder / ABOUT).exists():
        return False
    for name in (SUMS, JOURNAL):
        (folder / name).unlink(missing_ok=True)
    return True


def _write(file: FileIO, data: bytes) -> None:
    """Write all of it: a disk that is about to be full takes a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
