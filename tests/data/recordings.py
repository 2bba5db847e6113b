"""Sound files and corpora of them, small enough to be made for a test."""

from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy import ndarray

from mocha_lightning.data import RecordedSpeech, SpeechData
from mocha_lightning.data.recording import read

SMALL: dict[str, Any] = {
    "sample_rate": 8000,
    "mel_bins": 10,
    "batch_size": 2,
    "eval_batch_size": 2,
}


def write_noise(path: Path, seed: int = 0, seconds: float = 0.2, rate: int = 8000) -> Path:
    """A file of noise, which is another for each seed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = np.random.default_rng(seed).uniform(-0.3, 0.3, int(seconds * rate))
    soundfile.write(path, samples, rate)
    return path


def opened(data: SpeechData) -> SpeechData:
    """The corpus, prepared and ready."""
    data.prepare_data()
    data.setup()
    return data


def audio(data: RecordedSpeech) -> dict[str, ndarray]:
    """What is read of each recording, by id."""
    rate = data.features.sample_rate
    return {each.id: read(each, rate, data.limits) for each in data.recordings()}


def texts(data: SpeechData) -> dict[str, dict[str, tuple[str, str]]]:
    """Text and speaker of each utterance, by split and id."""
    opened(data)
    return {
        name: {item.id: (item.text, item.speaker) for item in split.utterances}
        for name, split in data.splits.items()
    }
