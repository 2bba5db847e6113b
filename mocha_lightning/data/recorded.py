"""What all corpora of recordings with transcripts share: reading them, and what cannot be used."""

import hashlib
import json
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from jaxtyping import Float32
from numpy import ndarray
from rich.console import Console
from rich.progress import track

from mocha_lightning.data.audio import (
    SilentError,
    check_header,
    cut_of,
    decode_audio,
    read_audio,
    to_int16,
)
from mocha_lightning.data.cache import Spoken, Utterance
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.speech import SpeechData
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.unusable import Dropped, Limits, Reason, UnusableError, stop_listing
from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.errors import UserError

UNKNOWN_SPEAKER = "unknown"
RECIPE = 1
"""Raised whenever this file makes other audio of the same recordings."""
DROPPED = "dropped.jsonl"
"""The file in a prepared folder that tells what was left out, and why."""


@dataclass(frozen=True)
class Recording:
    """One utterance and where its audio is.

    Args:
        id: its name, unique in the corpus.
        split: train, validation or test.
        text: what is said, as the recogniser should write it; None where there is no transcript.
        speaker: who says it.
        audio: the sound file, or all bytes of one.
        start: where in the file the utterance begins, in seconds.
        seconds: how long it is; None for all that is left of the file.
        channel: the one it is on, counted from 0; None for the mean of all.
        listed: where it is listed (file and line), for messages.
    """

    id: str
    split: str
    text: str | None
    speaker: str
    audio: Path | bytes
    start: float = 0.0
    seconds: float | None = None
    channel: int | None = None
    listed: str = ""

    def __str__(self) -> str:
        return f"{self.id} ({self.listed})" if self.listed else self.id


class RecordedSpeech(SpeechData):
    """Recordings with transcripts, one utterance each, as they are found somewhere.

    A corpus is told from others by its settings and by a SHA-256 over what is listed of each
    recording, the size of its file and the file's name relative to :attr:`root`. A corpus that was
    moved is so the same, and a changed one is another. What is in the files is not hashed again:
    of that the prepared corpus has a SHA-256 of its own, which decides whether results compare.

    Utterances that are too long or too short are left out and counted. Others that cannot be used
    (see :class:`~mocha_lightning.data.unusable.Reason`) stop the preparation, with a list, unless
    ``on_unusable`` is ``drop``. What was left out is in the prepared folder's ``dropped.jsonl``.

    Args:
        root: the folder that the corpus lies in.
        limits: how long utterances may be, and what is done with what cannot be used.
        vocabulary: what transcripts are made of.
        features: the features to extract.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: utterances of a training batch.
        eval_batch_size: utterances of a validation or test batch.
    """

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
    ) -> None:
        super().__init__(features, cache_dir, batch_size, eval_batch_size)
        self.root = root
        self.limits = limits
        self.vocabulary = vocabulary

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
        try:
            lines = (self.folder / DROPPED).read_text(encoding="utf-8").splitlines()
            items = [json.loads(line) for line in lines]
            counts = Counter((item["split"], item["reason"]) for item in items)
        except (OSError, ValueError, KeyError, TypeError):
            raise UserError(
                f"{(self.folder / DROPPED).resolve()}: missing or damaged: delete that folder and "
                "it will be built again"
            ) from None
        dropped: dict[str, dict[str, int]] = {split: {} for split in SPLITS}
        for (split, reason), count in sorted(counts.items()):
            dropped[split][reason] = count
        return {"speech": self.speech, **self.settings(), "dropped": dropped}

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
        """Fill the folder; what was left out is told there and, by number, on standard error."""
        self._dropped: list[Dropped] = []
        super().build(folder)
        with (folder / DROPPED).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(item)) + "\n" for item in self._dropped)
        counts = Counter((item.split, str(item.reason)) for item in self._dropped)
        for (split, reason), count in sorted(counts.items()):
            print(f"Left out of {split}: {count} ({reason}); see {DROPPED}", file=sys.stderr)

    def corpus(self) -> Iterator[Spoken]:
        """Every utterance that can be used, with its audio.

        Transcripts and headers are looked at first, so that most of what is wrong is told in
        moments; the rest is found by reading.

        Raises:
            UserError: some cannot be used; two have the same id; nothing is left of a split.
        """
        self._dropped = []
        promising = []
        for recording in self._listed:
            try:
                self._glance(recording)
            except UnusableError as error:
                self._dropped.append(_dropped(recording, error))
            else:
                promising.append(recording)
        self._stop_or_go_on(Counter(recording.split for recording in promising))
        progress = track(promising, description="Reading recordings", console=Console(stderr=True))
        yield from self._read_all(progress)

    def _read_all(self, recordings: Iterable[Recording]) -> Iterator[Spoken]:
        """Utterances with their audio, until one cannot be used; then only the list grows."""
        used: Counter[str] = Counter()
        doomed = False
        for recording in recordings:
            try:
                samples = self._read(recording)
            except UnusableError as error:
                self._dropped.append(_dropped(recording, error))
                doomed = doomed or error.reason not in self.droppable()
                continue
            used[recording.split] += 1
            if not doomed:
                text = recording.text or ""
                utterance = Utterance(recording.id, recording.split, text, recording.speaker)
                yield utterance, to_int16(samples)
        self._stop_or_go_on(used)

    def _stop_or_go_on(self, used: Counter[str]) -> None:
        bad = [item for item in self._dropped if item.reason not in self.droppable()]
        if bad:
            raise stop_listing(self.name, bad)
        for split in SPLITS:
            if used[split] == 0:
                left_out = [item for item in self._dropped if item.split == split]
                why = f"; the first left out: {left_out[0]}" if left_out else ""
                raise UserError(
                    f"{self.name}: no recording that can be used falls to {split}{why}: add "
                    "recordings or correct the settings (data.*)"
                )

    def _glance(self, recording: Recording) -> None:
        """See from transcript and header whether a recording can be used."""
        self._check_text(recording.text)
        if isinstance(recording.audio, bytes):
            return
        if not recording.audio.exists():
            raise UnusableError(Reason.NO_AUDIO, f"{recording.audio}: no such file")
        try:
            info = check_header(recording.audio, self.features.sample_rate)
            first, last = cut_of(recording.audio, info, recording.start, recording.seconds)
        except UserError as error:
            raise UnusableError(Reason.UNREADABLE, str(error)) from error
        self.limits.check((last - first) / info.sample_rate)

    def _read(self, recording: Recording) -> Float32[ndarray, " samples"]:
        self._check_text(recording.text)
        audio, rate = recording.audio, self.features.sample_rate
        try:
            if isinstance(audio, bytes):
                samples = decode_audio(audio, recording.id, rate)
            else:
                part = (recording.start, recording.seconds, recording.channel)
                samples = read_audio(audio, rate, *part)
        except SilentError as error:
            raise UnusableError(Reason.SILENT, str(error)) from error
        except UserError as error:
            raise UnusableError(Reason.UNREADABLE, str(error)) from error
        self.limits.check(len(samples) / rate)
        return samples

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


def _dropped(recording: Recording, error: UnusableError) -> Dropped:
    return Dropped(str(recording), recording.split, error.reason, str(error))
