"""Tiny corpora, built once for all tests."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from mocha_lightning.data import SpokenNumbers

TINY: dict[str, Any] = {
    "train_utterances": 20,
    "validation_utterances": 4,
    "test_utterances": 6,
    "mel_bins": 10,
    "batch_size": 4,
    "eval_batch_size": 4,
}


@pytest.fixture(scope="session")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> SpokenNumbers:
    """Thirty synthetic utterances, prepared and opened."""
    pytest.importorskip("espeakng_loader", reason="eSpeak NG is not installed (extra: espeak)")
    data = SpokenNumbers(**TINY, cache_dir=str(tmp_path_factory.mktemp("numbers")))
    data.prepare_data()
    data.setup()
    return data


def write_tone(path: Path, seconds: float = 0.2, rate: int = 8000, pitch: float = 300) -> None:
    """A recording of nothing in particular."""
    time = np.arange(int(seconds * rate)) / rate
    soundfile.write(path, 0.3 * np.sin(2 * np.pi * pitch * time), rate)


@pytest.fixture
def digits_folder(tmp_path: Path) -> Path:
    """All digits, takes 0 to 11, of two speakers; a tone's pitch tells who says what when."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    for digit in range(10):
        for number, speaker in enumerate(("anna", "bert")):
            for take in range(0, 12):
                pitch = 200 + 100 * digit + 50 * number + take
                write_tone(folder / f"{digit}_{speaker}_{take}.wav", pitch=pitch)
    return folder
