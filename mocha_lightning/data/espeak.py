"""Spoken numbers, synthesised by eSpeak NG: speech for anyone, without a download of data."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import soxr
from jaxtyping import Float32
from numpy import ndarray
from rich.console import Console
from rich.progress import track

from mocha_lightning.data.audio import to_int16
from mocha_lightning.data.cache import Spoken, Utterance
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.generated import GeneratedSpeech
from mocha_lightning.data.noise import pink_noise
from mocha_lightning.data.number_words import UNITS, Units
from mocha_lightning.data.strings import SPLITS, Strings
from mocha_lightning.data.synthesis import SAMPLE_RATE, Request, espeak_version, synthesise
from mocha_lightning.errors import UserError

ACCENTS = (
    "en-us",
    "en",
    "en-gb-x-rp",
    "en-gb-x-gbclan",
    "en-gb-x-gbcwmd",
    "en-gb-scotland",
)
VOICES = {
    "train": [
        accent + variant
        for accent in ACCENTS
        for variant in ("", "+m1", "+m2", "+m4", "+m5", "+m6", "+m8", "+f1", "+f3", "+f5")
    ],
    "validation": [
        accent + variant for accent in (*ACCENTS, "en-us-nyc") for variant in ("+m7", "+f2")
    ],
    "test": [accent + variant for accent in (*ACCENTS, "en-029") for variant in ("+m3", "+f4")],
}
"""Each split's voices, accent and variant: a variant is heard in one split alone, and validation
and test have each one accent (New York; Caribbean) that is heard nowhere else."""

RECIPE = 3
"""Raised whenever this file makes another corpus of the same settings."""
LEVEL = 0.05
"""Root mean square of the speech (full scale is 1), before noise."""
AUDIBLE = 1e-3
"""What is fainter at either end is cut off before silence is added."""
NOISE_SECONDS = 120
"""Length of each split's noise, an endless loop that utterances take random pieces of."""
MAX_SILENCE = 0.25
"""Longest silence before and after, in seconds."""


class SpokenNumbers(GeneratedSpeech):
    """Strings of numbers in many synthetic voices; all splits differ in voice and in string.

    Args:
        words: what a string is made of: ``digits`` (zero to nine), ``mixed`` (digits, teens and
            tens: 28 words) or ``hundreds`` (whole numbers below 1000, one to five words each).
        min_words: the fewest of these in a string.
        max_words: the most of these in a string.
        rate: least and greatest speed, in words a minute (80 to 450).
        pitch: least and greatest pitch, on eSpeak's scale of 0 to 100.
        snr_db: least and greatest ratio of the speech's power to that of the pink noise
            under the whole utterance, in dB; null for none.
        train_utterances: size of the training split.
        validation_utterances: size of the validation split.
        test_utterances: size of the test split.
        corpus_seed: decides strings, voices, rates, silences and noise.
        sample_rate: in Hz.
        mel_bins: log-mel filters (40 on fewer means; the paper's number is the default).
        deltas: whether differences in time are added as channels.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: utterances of a training batch.
        batch_frames: the most frames of a batch, its padding counted, whatever the sizes say; null
            for no such limit.
        eval_batch_size: utterances of a validation or test batch.

    Raises:
        UserError: a setting is out of range.
    """

    name = "spoken-numbers"

    def __init__(
        self,
        words: Units = "mixed",
        min_words: int = 2,
        max_words: int = 6,
        rate: tuple[int, int] = (120, 200),
        pitch: tuple[int, int] = (30, 70),
        snr_db: tuple[float, float] | None = (10.0, 20.0),
        train_utterances: int = 6000,
        validation_utterances: int = 200,
        test_utterances: int = 400,
        corpus_seed: int = 0,
        sample_rate: int = 16000,
        mel_bins: int = 80,
        deltas: bool = True,
        cache_dir: str = "cache",
        batch_size: int = 8,
        batch_frames: int | None = None,
        eval_batch_size: int = 64,
    ) -> None:
        features = LogMel(sample_rate, mel_bins, deltas)
        super().__init__(features, cache_dir, batch_size, eval_batch_size, batch_frames)
        self.words: Units = words
        self.strings = Strings(
            min_words,
            max_words,
            train_utterances,
            validation_utterances,
            test_utterances,
            corpus_seed,
        )
        _check_range("rate", rate, 80, 450)
        _check_range("pitch", pitch, 0, 100)
        if snr_db is not None:
            _check_range("snr_db", snr_db, -20, 60)
        self.rate = rate
        self.pitch = pitch
        self.snr_db = snr_db

    @property
    def packages(self) -> tuple[str, ...]:
        """What makes the noise and computes the features."""
        return (*super().packages, "scipy")

    def versions(self) -> dict[str, str]:
        """The engine's, too."""
        return {**super().versions(), "espeak-ng": espeak_version()}

    def facts(self) -> dict[str, Any]:
        """The label that makes clear that nobody spoke this, and the settings."""
        return {"speech": "synthetic (eSpeak NG)", **self._settings()}

    def identity(self) -> dict[str, Any]:
        """Settings, voices and the engine's version."""
        return {"recipe": RECIPE, **self._settings(), "voices": VOICES, "espeak": espeak_version()}

    def _settings(self) -> dict[str, Any]:
        return {
            "words": self.words,
            **asdict(self.strings),
            "rate_words_per_minute": self.rate,
            "pitch": self.pitch,
            "snr_db": self.snr_db,
        }

    def plan(self) -> list[Utterance]:
        """All utterances, in the order in which they are spoken."""
        generator, noise_generator = self._chance(0), self._chance(1)
        strings = self.strings.draw(generator, UNITS[self.words])
        return [
            Utterance(
                id=f"{split}-{number:05d}",
                split=split,
                text=text,
                speaker=str(generator.choice(VOICES[split])),
                details={
                    "rate": int(generator.integers(*self.rate, endpoint=True)),
                    "pitch": int(generator.integers(*self.pitch, endpoint=True)),
                    "snr_db": None
                    if self.snr_db is None
                    else noise_generator.uniform(*self.snr_db),
                },
            )
            for split in SPLITS
            for number, text in enumerate(strings[split])
        ]

    def _chance(self, stream: int) -> np.random.Generator:
        """Streams of their own, so that clean and noisy corpora differ in the noise alone."""
        return np.random.default_rng([self.strings.corpus_seed, stream])

    def corpus(self) -> Iterator[Spoken]:
        """Synthesise the plan, add silence and noise.

        ``word_ends`` in the details of an utterance are where in its audio each word ends, in
        seconds.
        """
        plan = self.plan()
        generator, noise_generator = self._chance(2), self._chance(3)
        rate = self.features.sample_rate
        noises = {
            split: pink_noise(noise_generator, NOISE_SECONDS * rate, rate) for split in SPLITS
        }
        requests = [
            Request(item.text, item.speaker, item.details["rate"], item.details["pitch"])
            for item in plan
        ]
        progress = track(
            zip(plan, synthesise(requests), strict=True),
            description="Synthesising speech",
            total=len(plan),
            console=Console(stderr=True),
        )
        for utterance, spoken in progress:
            whole = soxr.resample(spoken.samples, SAMPLE_RATE, rate)
            first, last = audible(whole)
            speech = at_level(whole[first:last])
            before, after = generator.integers(int(MAX_SILENCE * rate), size=2)
            audio = np.pad(speech, (before, after))
            if utterance.details["snr_db"] is not None:
                noise = noises[utterance.split]
                piece = noise_generator.integers(len(noise)) + np.arange(len(audio))
                level = LEVEL * 10 ** (-utterance.details["snr_db"] / 20)
                audio += np.float32(level) * noise.take(piece, mode="wrap")
            ends = np.clip(spoken.word_ends * (rate / SAMPLE_RATE), first, last) - first + before
            timed = {**utterance.details, "word_ends": np.round(ends / rate, 4).tolist()}
            yield replace(utterance, details=timed), to_int16(audio)


def _check_range(name: str, pair: tuple[float, float], least: float, greatest: float) -> None:
    if not least <= pair[0] <= pair[1] <= greatest:
        raise UserError(
            f"data.{name} is {list(pair)}: it must be two numbers from {least} to {greatest}, "
            "the smaller first"
        )


def audible(speech: Float32[ndarray, " samples"]) -> tuple[int, int]:
    """Where speech begins and ends, without the engine's own silence."""
    heard = np.flatnonzero(np.abs(speech) > AUDIBLE)
    return int(heard[0]), int(heard[-1]) + 1


def at_level(speech: Float32[ndarray, " samples"]) -> Float32[ndarray, " samples"]:
    """Speech scaled to the corpus's level: all voices are equally loud."""
    return np.asarray(speech * (LEVEL / np.sqrt(np.mean(np.square(speech)))), np.float32)
