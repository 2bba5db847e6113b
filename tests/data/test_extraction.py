"""What is computed of one utterance when a corpus is prepared."""

import tracemalloc

import numpy as np
import pytest

from mocha_lightning.data import LogMel, extraction
from mocha_lightning.data.extraction import extract


@pytest.mark.parametrize("mel_bins", [3, 80])
@pytest.mark.parametrize("deltas", [True, False])
def test_the_sums_are_to_the_last_bit_those_over_all_frames_at_once(
    mel_bins: int, deltas: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = LogMel(16000, mel_bins, deltas)
    samples = np.random.default_rng(0).integers(-9000, 9000, 60_000).astype(np.int16)
    full = features.extract(samples.astype(np.float32) / 32768, 16000).astype(np.float64)
    expected = np.stack([full.sum(0), (full * full).sum(0)])
    for block in (1, 2, 100, len(full) - 1, len(full)):
        monkeypatch.setattr(extraction, "BLOCK", block)
        assert np.array_equal(extract(features, samples).sums, expected)


def test_a_long_recording_takes_little_more_than_its_features() -> None:
    """Of 5 minutes at 8 kHz: 9.6 MB of samples in 32 bits, 14.4 of features with differences."""
    samples = np.random.default_rng(0).integers(-9000, 9000, 300 * 8000).astype(np.int16)
    tracemalloc.start()
    extract(LogMel(8000, 40), samples)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6  # 100 and more where all of it was a list of Python's numbers
