"""Digit strings of real speech, from a folder of Free Spoken Digit Dataset recordings."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float32
from numpy import ndarray
from rich.console import Console
from rich.progress import track

from mocha_lightning.data import listing
from mocha_lightning.data.audio import check_header, read_audio, to_int16
from mocha_lightning.data.cache import Spoken, Utterance
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.generated import GeneratedSpeech
from mocha_lightning.data.number_words import ONES
from mocha_lightning.data.strings import SPLITS, Strings
from mocha_lightning.errors import UserError

NAME = re.compile(r"(?P<digit>[0-9])_(?P<speaker>[^_]+)_(?P<take>0|[1-9][0-9]*)")
TEST_TAKES = range(5)
"""The data set's own rule."""
VALIDATION_TAKES = range(5, 10)
"""Held out of what that rule leaves for training."""
RECIPE = 2
"""Raised whenever this file makes other audio of the same settings."""
MAX_SILENCE = 0.25
"""Longest silence before, between and after the digits, in seconds."""
HISS = 1e-3
"""Root mean square of white noise under all of a string (full scale is 1): the log energy of
digital silence is an outlier that would rule the normalisation of the features."""
MIN_SECONDS = 0.03
"""No digit is spoken in less."""


class Recording(NamedTuple):
    """One spoken digit."""

    path: Path
    digit: int
    speaker: str
    take: int


class SpokenDigits(GeneratedSpeech):
    """Strings of recorded digits, each of one speaker; splits differ in recording and in string.

    The data set is https://github.com/Jakobovski/free-spoken-digit-dataset (CC BY-SA 4.0); its
    files are named ``digit_speaker_take.wav``.

    Args:
        folder: the folder with the recordings.
        held_out_speaker: who is heard in the test split, all takes, and nowhere else; validation
            is takes 5 to 9 of the others. Null for the data set's own split, in which all
            speakers are heard in all splits: takes 0 to 4 for test, 5 to 9 for validation.
        min_words: the fewest digits in a string.
        max_words: the most digits in a string.
        train_utterances: strings of the training split.
        validation_utterances: strings of the validation split.
        test_utterances: strings of the test split.
        corpus_seed: decides strings, speakers, takes and silences.
        sample_rate: in Hz; the recordings have 8000.
        mel_bins: log-mel filters.
        deltas: whether differences in time are added as channels.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: utterances of a training batch.
        batch_frames: the most frames of a batch, its padding counted, whatever the sizes say; null
            for no such limit.
        eval_batch_size: utterances of a validation or test batch.

    Raises:
        UserError: a setting is out of range.
    """

    name = "spoken-digits"
    places: ClassVar[tuple[str, ...]] = (*GeneratedSpeech.places, "folder")

    def __init__(
        self,
        folder: str,
        held_out_speaker: str | None = None,
        min_words: int = 2,
        max_words: int = 6,
        train_utterances: int = 6000,
        validation_utterances: int = 200,
        test_utterances: int = 400,
        corpus_seed: int = 0,
        sample_rate: int = 8000,
        mel_bins: int = 80,
        deltas: bool = True,
        cache_dir: str = "cache",
        batch_size: int = 8,
        batch_frames: int | None = None,
        eval_batch_size: int = 64,
    ) -> None:
        features = LogMel(sample_rate, mel_bins, deltas)
        super().__init__(features, cache_dir, batch_size, eval_batch_size, batch_frames)
        self.recordings_folder = Path(folder)
        self.held_out_speaker = held_out_speaker
        self.strings = Strings(
            min_words,
            max_words,
            train_utterances,
            validation_utterances,
            test_utterances,
            corpus_seed,
        )

    @property
    def packages(self) -> tuple[str, ...]:
        """What reads the recordings and computes the features."""
        return (*super().packages, "soundfile")

    def facts(self) -> dict[str, Any]:
        """Where the speech comes from, and the settings."""
        return {
            "speech": "human (Free Spoken Digit Dataset, recordings joined to strings)",
            **self._settings(),
        }

    def identity(self) -> dict[str, Any]:
        """Settings, and a hash over the recordings' names and bytes."""
        digest = hashlib.sha256()
        for recording in self.recordings:
            digest.update(recording.path.name.encode() + b"\0" + recording.path.read_bytes())
        return {"recipe": RECIPE, **self._settings(), "recordings_sha256": digest.hexdigest()}

    def _settings(self) -> dict[str, Any]:
        return {
            "held_out_speaker": self.held_out_speaker,
            **asdict(self.strings),
        }

    @cached_property
    def recordings(self) -> list[Recording]:
        """All recordings, by name; every header is checked first.

        Raises:
            UserError: the folder or a file in it cannot be used.
        """
        folder = self.recordings_folder
        if not folder.is_dir():
            raise listing.no_folder(folder)
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".wav")
        if not paths:
            raise UserError(f"{folder.resolve()}: holds no .wav files: correct data.folder")
        return [self._recording(path) for path in paths]

    def _recording(self, path: Path) -> Recording:
        name = NAME.fullmatch(path.stem)
        if name is None:
            raise UserError(
                f"{path}: the name is not digit_speaker_take.wav (as 7_theo_12.wav): "
                "rename the file or remove it"
            )
        check_header(path, self.features.sample_rate, MIN_SECONDS)
        return Recording(path, int(name["digit"]), name["speaker"], int(name["take"]))

    @cached_property
    def takes(self) -> dict[str, dict[str, dict[int, list[Recording]]]]:
        """Recordings by split, speaker and digit.

        Raises:
            UserError: the speaker held out is unknown, a split is empty, a digit is missing.
        """
        speakers = sorted({recording.speaker for recording in self.recordings})
        if self.held_out_speaker is not None and self.held_out_speaker not in speakers:
            raise UserError(
                f"data.held_out_speaker is {self.held_out_speaker!r}: the speakers in "
                f"{self.recordings_folder.resolve()} are {', '.join(speakers)}"
            )
        takes: dict[str, dict[str, dict[int, list[Recording]]]] = {split: {} for split in SPLITS}
        for recording in self.recordings:
            digits = takes[self._split(recording)].setdefault(recording.speaker, defaultdict(list))
            digits[recording.digit].append(recording)
        for split, of_split in takes.items():
            if not of_split:
                raise UserError(
                    f"{self.recordings_folder.resolve()}: no recording falls to {split} (takes 0 "
                    "to 4 are test, 5 to 9 validation, others train): add recordings"
                )
            for speaker, digits in of_split.items():
                missing = ", ".join(str(digit) for digit in range(10) if digit not in digits)
                if missing:
                    raise UserError(
                        f"{self.recordings_folder.resolve()}: {speaker} has no recording of "
                        f"{missing} for {split}: add recordings or remove this speaker's"
                    )
        return takes

    def _split(self, recording: Recording) -> str:
        if self.held_out_speaker is not None:
            if recording.speaker == self.held_out_speaker:
                return "test"
            return "validation" if recording.take in VALIDATION_TAKES else "train"
        if recording.take in TEST_TAKES:
            return "test"
        return "validation" if recording.take in VALIDATION_TAKES else "train"

    def corpus(self) -> Iterator[Spoken]:
        """Draw the strings and join recordings, with silence between and faint noise under all."""
        takes, rate = self.takes, self.features.sample_rate
        audio = {item.path: read_audio(item.path, rate) for item in self.recordings}
        generator = np.random.default_rng(self.strings.corpus_seed)
        hiss = np.random.default_rng([self.strings.corpus_seed, 1])
        strings = self.strings.draw(generator, ONES)
        plan = [
            (split, number, text) for split in SPLITS for number, text in enumerate(strings[split])
        ]
        for split, number, text in track(
            plan, description="Joining recordings", console=Console(stderr=True)
        ):
            speaker = str(generator.choice(sorted(takes[split])))
            chosen = [
                recordings[generator.integers(len(recordings))]
                for word in text.split()
                for recordings in [takes[split][speaker][ONES.index(word)]]
            ]
            silences = generator.integers(int(MAX_SILENCE * rate), size=len(chosen) + 1)
            utterance = Utterance(
                id=f"{split}-{number:05d}",
                split=split,
                text=text,
                speaker=speaker,
                details={"recordings": [recording.path.name for recording in chosen]},
            )
            speech = joined([audio[item.path] for item in chosen], silences)
            speech += np.float32(HISS) * hiss.standard_normal(len(speech), np.float32)
            yield utterance, to_int16(speech)


def joined(
    pieces: list[Float32[ndarray, " samples"]], silences: ndarray
) -> Float32[ndarray, " all_samples"]:
    """Pieces one after the other, with so many samples of silence before each and at the end."""
    parts = [np.zeros(silences[0], np.float32)]
    for piece, silence in zip(pieces, silences[1:], strict=True):
        parts += [piece, np.zeros(silence, np.float32)]
    return np.concatenate(parts)
