"""One recording with its transcript: where it is, what its header says, and reading it.

Processes that prepare a corpus import this and what it imports, so none of that imports torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from jaxtyping import Int16
from numpy import ndarray

from mocha_lightning.data.audio import (
    SilentError,
    check_header,
    cut_of,
    decode_audio,
    read_audio,
    to_int16,
)
from mocha_lightning.data.extraction import Extraction, extract
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.unusable import Limits, Reason, UnusableError
from mocha_lightning.errors import UserError


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


class Candidate(NamedTuple):
    """A recording that may turn out to be usable, and its length in seconds where that is known."""

    recording: Recording
    seconds: float | None


def length(recording: Recording, sample_rate: int, limits: Limits) -> float | None:
    """How long a recording is by its file's header, in seconds; None where it is in memory.

    Raises:
        UnusableError: the header says that it cannot be used.
    """
    if isinstance(recording.audio, bytes):
        return None
    try:
        there = recording.audio.exists()
    except OSError as error:  # a name too long, a folder that may not be searched
        found = f"{recording.audio}: cannot be opened: {error.strerror}"
        raise UnusableError(Reason.UNREADABLE, found) from error
    if not there:
        raise UnusableError(Reason.NO_AUDIO, f"{recording.audio}: no such file")
    try:
        info = check_header(recording.audio, sample_rate)
        first, last = cut_of(recording.audio, info, recording.start, recording.seconds)
    except UserError as error:
        raise UnusableError(Reason.UNREADABLE, str(error)) from error
    seconds = (last - first) / info.sample_rate
    limits.check(seconds)
    return seconds


def read(recording: Recording, sample_rate: int, limits: Limits) -> Int16[ndarray, " samples"]:
    """The audio of a recording at a sample rate (Hz).

    Raises:
        UnusableError: it cannot be used.
    """
    audio = recording.audio
    try:
        if isinstance(audio, bytes):
            samples = decode_audio(audio, recording.id, sample_rate)
        else:
            part = (recording.start, recording.seconds, recording.channel)
            samples = read_audio(audio, sample_rate, *part)
    except SilentError as error:
        raise UnusableError(Reason.SILENT, str(error)) from error
    except UserError as error:
        raise UnusableError(Reason.UNREADABLE, str(error)) from error
    limits.check(len(samples) / sample_rate)
    return to_int16(samples)


def lengths(
    sample_rate: int, limits: Limits, recordings: Sequence[Recording]
) -> list[float | UnusableError | None]:
    """:func:`length` of each, or why it cannot be used."""
    found: list[float | UnusableError | None] = []
    for recording in recordings:
        try:
            found.append(length(recording, sample_rate, limits))
        except UnusableError as error:
            found.append(error)
    return found


def extract_candidate(
    features: LogMel, limits: Limits, candidate: Candidate
) -> Extraction | UnusableError:
    """What is kept of a recording, or why it cannot be used.

    Raises:
        UserError: the audio is shorter than one window, and that is within the limits.
    """
    recording = candidate.recording
    try:
        samples = read(recording, features.sample_rate, limits)
    except UnusableError as error:
        return error
    try:
        return extract(features, samples)
    except UserError as error:
        raise UserError(f"utterance {recording.id}: {error}") from None
