"""What all corpora of recordings with transcripts share: which can be used, and preparing them."""

import hashlib
import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console

from mocha_lightning.data import left_out
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.reading import read_all
from mocha_lightning.data.recording import Candidate, Recording, lengths
from mocha_lightning.data.speech import SpeechData
from mocha_lightning.data.unusable import Dropped, Limits, Reason, UnusableError
from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.data.workers import in_order
from mocha_lightning.data.writing import CacheWriter, completed
from mocha_lightning.errors import UserError

UNKNOWN_SPEAKER = "unknown"
RECIPE = 1
"""Raised whenever this file makes other audio of the same recordings."""
HEADERS = 200
"""Files whose headers one process looks at before it tells what it found."""


class RecordedSpeech(SpeechData):
    """Recordings with transcripts, one utterance each, as they are found somewhere.

    A corpus is told from others by its settings and by a SHA-256 over what is listed of each
    recording, the size of its file and the file's name relative to :attr:`root`. A corpus that was
    moved is so the same, and a changed one is another. What is in the files is not hashed again:
    of that the prepared corpus has a SHA-256 of its own, which decides whether results compare.

    Utterances that are too long or too short are left out and counted. Others that cannot be used
    (see :class:`~mocha_lightning.data.unusable.Reason`) stop the preparation, with a list, unless
    ``on_unusable`` is ``drop``. What was left out is in the prepared folder's ``dropped.jsonl``.

    All cores read. A preparation that is stopped, killed or runs out of disk loses seconds of work:
    the next one goes on, and ends with the same bytes.

    Args:
        root: the folder that the corpus lies in.
        limits: how long utterances may be, and what is done with what cannot be used.
        vocabulary: what transcripts are made of.
        features: the features to extract.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: utterances of a training batch; with ``batch_frames`` the most of them.
        eval_batch_size: utterances of a validation or test batch, likewise.
        batch_frames: the most frames of a batch, its padding counted; None for no such limit.
    """

    goes_on = True
    speech: ClassVar[str]
    """What kind of speech it is, and where from, for reports."""

    def __init__(
        self,
        root: Path,
        limits: Limits,
        vocabulary: Vocabulary,
        features: LogMel,
        cache_dir: str,
        batch_size: int,
        eval_batch_size: int,
        batch_frames: int | None = None,
    ) -> None:
        super().__init__(features, cache_dir, batch_size, eval_batch_size, batch_frames)
        self.root = root
        self.limits = limits
        self.vocabulary = vocabulary

    @property
    def packages(self) -> tuple[str, ...]:
        """What reads the recordings and computes the features."""
        return (*super().packages, "soundfile", "desphere")

    @abstractmethod
    def recordings(self) -> Iterable[Recording]:
        """All recordings of all splits, in a fixed order."""

    def settings(self) -> dict[str, Any]:
        """What decides the corpus beside its files, as JSON."""
        return {**asdict(self.limits), "symbols": list(self.vocabulary.symbols)}

    def droppable(self) -> frozenset[Reason]:
        """Reasons for which an utterance is left out without stopping."""
        return self.limits.droppable

    def facts(self) -> dict[str, Any]:
        """Where the speech comes from, the settings, and how much was left out, by split."""
        return {"speech": self.speech, **self.settings(), "dropped": self.dropped_counts()}

    def dropped(self) -> list[Dropped]:
        """What was left out of the prepared corpus.

        Raises:
            UserError: the folder's account of that is missing or damaged.
        """
        items = left_out.read_account(self.folder)
        try:
            return [Dropped.from_fields(item) for item in items]
        except (ValueError, TypeError):
            raise left_out.damaged_account(self.folder) from None

    def dropped_counts(self) -> dict[str, dict[str, int]]:
        """How much of that by split and reason."""
        return _counted(self.dropped())

    def identity(self) -> dict[str, Any]:
        """Settings, and a hash over what is listed and the files' names and sizes."""
        digest = hashlib.sha256()
        for recording in self._listed:
            facts = asdict(recording)
            del facts["listed"], facts["audio"]
            facts |= self._file_facts(recording)
            digest.update(json.dumps(facts, sort_keys=True).encode() + b"\n")
        return {"recipe": RECIPE, **self.settings(), "recordings_sha256": digest.hexdigest()}

    def _file_facts(self, recording: Recording) -> dict[str, Any]:
        if isinstance(recording.audio, bytes):
            return {"size": len(recording.audio)}
        path = recording.audio
        inside = path.is_relative_to(self.root)
        name = path.relative_to(self.root).as_posix() if inside else path.name
        try:
            return {"file": name, "size": path.stat().st_size}
        except OSError:
            return {"file": name, "size": None}

    @cached_property
    def _listed(self) -> list[Recording]:
        return list(unique(self.recordings()))

    def build(self, folder: Path) -> None:
        """Fill the folder, or go on where another process was stopped.

        What was left out is told there and, by number, on standard error.

        Raises:
            UserError: some recordings cannot be used; two have the same id; nothing is left of a
                split; the disk has too little room.
        """
        if completed(folder):
            return
        dropped: list[Dropped] = []
        candidates = self.candidates(dropped)
        with CacheWriter(folder, self.features) as writer:
            bad = read_all(candidates, writer, self.limits, self.droppable(), self.jobs)
            dropped += [*writer.dropped, *bad]
            self._stop_or_go_on(Counter(item.split for item in writer.utterances), dropped)
            left_out.write_account(folder, dropped)
            writer.finish(self.full_identity())
        completed(folder)
        left_out.tell(_counted(dropped))

    def candidates(self, dropped: list[Dropped]) -> list[Candidate] | Iterator[Candidate]:
        """The recordings that may turn out to be usable, in order.

        Transcripts and headers are looked at first, so that most of what is wrong is told in
        moments; the rest is found by reading.

        Args:
            dropped: takes those that cannot be used.

        Raises:
            UserError: some cannot be used; two have the same id; nothing is left of a split.
        """
        sayable = list(self.sayable(self._listed, dropped))
        parts = [sayable[at : at + HEADERS] for at in range(0, len(sayable), HEADERS)]
        look = partial(lengths, self.features.sample_rate, self.limits)
        candidates: list[Candidate] = []
        with (
            Console(stderr=True).status(f"Looking at {len(sayable):,} recordings"),
            closing(in_order(look, parts, self.jobs)) as looked,
        ):
            for part, found in looked:
                for recording, seconds in zip(part, found, strict=True):
                    if isinstance(seconds, UnusableError):
                        dropped.append(_because(recording, seconds))
                    else:
                        candidates.append(Candidate(recording, seconds))
        self._stop_or_go_on(Counter(each.recording.split for each in candidates), dropped)
        return candidates

    def sayable(
        self, recordings: Iterable[Recording], dropped: list[Dropped]
    ) -> Iterator[Recording]:
        """The recordings whose transcripts the vocabulary can write; ``dropped`` takes the rest."""
        for recording in recordings:
            try:
                self._check_text(recording.text)
            except UnusableError as error:
                dropped.append(_because(recording, error))
            else:
                yield recording

    def _stop_or_go_on(self, used: Counter[str], dropped: Sequence[Dropped]) -> None:
        kind = left_out.RECORDINGS
        left_out.check_usable(self.name, kind, used, dropped, self.droppable())

    def _check_text(self, text: str | None) -> None:
        if text is None:
            raise UnusableError(Reason.NO_TRANSCRIPT, "there is none")
        if not text.strip():
            raise UnusableError(Reason.NO_TEXT, "there is nothing in it")
        character = self.vocabulary.foreign(text)
        if character is not None:
            raise UnusableError(Reason.FOREIGN, f"{character!r} in {text!r}")


def unique(recordings: Iterable[Recording]) -> Iterator[Recording]:
    """The recordings, with their ids checked.

    Raises:
        UserError: two have the same id.
    """
    seen: dict[str, Recording] = {}
    for recording in recordings:
        other = seen.setdefault(recording.id, recording)
        if other is not recording:
            places = " and ".join(item.listed or item.split for item in (other, recording))
            raise UserError(
                f"two recordings have the id {recording.id!r} ({places}): remove one, or give it "
                "another name"
            )
        yield recording


def _counted(dropped: Iterable[Dropped]) -> dict[str, dict[str, int]]:
    return left_out.counted((item.split, str(item.reason)) for item in dropped)


def _because(recording: Recording, error: UnusableError) -> Dropped:
    return Dropped.because(str(recording), recording.split, error)
