"""Log-mel features and their differences."""

import numpy as np
import pytest

from mocha_lightning.data import LogMel, features
from mocha_lightning.errors import UserError


def noise(seconds: float, rate: int) -> np.ndarray:
    samples = 0.1 * np.random.default_rng(0).standard_normal(int(seconds * rate))
    return samples.astype(np.float32)


@pytest.mark.parametrize(("rate", "mel_bins"), [(16000, 80), (16000, 40), (8000, 80)])
def test_a_frame_every_10_ms_with_three_channels(rate: int, mel_bins: int) -> None:
    features = LogMel(rate, mel_bins)
    values = features.extract(noise(1.0, rate), rate)
    assert values.shape == (98, features.channels, mel_bins)  # (1000 - 25) // 10 + 1
    assert values.dtype == np.float32
    assert (values.std(0) > 0).all()  # no filter is empty


def test_a_tone_appears_in_the_filter_at_its_frequency() -> None:
    features = LogMel(16000, 40, deltas=False)
    time = np.arange(16000) / 16000
    low, high = (
        features.extract(np.sin(2 * np.pi * hertz * time).astype(np.float32), 16000)
        .mean(0)
        .argmax()
        for hertz in (300, 3000)
    )
    mel = 1127 * np.log1p(np.array([20, 300, 3000, 8000]) / 700)
    expected = (mel[1:3] - mel[0]) / (mel[3] - mel[0]) * 41 - 1
    assert np.abs(np.array([low, high]) - expected).max() < 1


def test_differences_follow_the_regression_formula() -> None:
    features = LogMel(16000, 12)
    values = features.extract(noise(0.3, 16000), 16000).astype(np.float64)

    def slope(x: np.ndarray, t: int) -> np.ndarray:
        """Sum of j x_{t+j} over sum of j^2, for j from -2 to 2, frames repeated at the ends."""
        at = [x[min(max(t + j, 0), len(x) - 1)] for j in range(-2, 3)]
        return sum(j * frame for j, frame in zip(range(-2, 3), at, strict=True)) / 10

    frames = range(len(values))
    energies, first, second = values.transpose(1, 0, 2)
    assert first == pytest.approx(np.stack([slope(energies, t) for t in frames]), abs=1e-5)
    inner = range(4, len(values) - 4)
    of_first = np.stack([slope(first, t) for t in inner])
    assert second[4:-4] == pytest.approx(of_first, abs=1e-5)


def test_without_differences_there_is_one_channel() -> None:
    features = LogMel(16000, 12, deltas=False)
    samples = noise(0.1, 16000)
    whole = LogMel(16000, 12).extract(samples, 16000)
    assert features.channels == 1
    assert np.array_equal(features.extract(samples, 16000), whole[:, :1])


def test_the_same_samples_give_the_same_features() -> None:
    samples = noise(0.5, 16000)
    assert np.array_equal(LogMel().extract(samples, 16000), LogMel().extract(samples, 16000))


def test_digital_silence_is_no_outlier() -> None:
    """Zeros lie as low as noise in the last bit of 16-bit audio, not far below it."""
    features = LogMel(16000, 40, deltas=False)
    bit = np.random.default_rng(0).integers(0, 2, 16000).astype(np.float32) / 32768
    zeros = features.extract(np.zeros(16000, np.float32), 16000)
    assert abs(zeros.mean() - features.extract(bit, 16000).mean()) < 2


def test_another_sample_rate_is_refused() -> None:
    with pytest.raises(UserError, match="8000 Hz and the features are set to 16000 Hz"):
        LogMel(16000).extract(noise(1, 8000), 8000)


def test_audio_shorter_than_a_window_is_refused() -> None:
    assert len(LogMel().energies(np.zeros(400, np.float32))) == 1
    with pytest.raises(UserError, match="shorter than one window"):
        LogMel().energies(np.zeros(399, np.float32))


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"mel_bins": 0}, "mel_bins"),
        ({"mel_bins": 500}, "mel_bins"),
        ({"sample_rate": 8000, "mel_bins": 128}, "mel_bins"),
        ({"sample_rate": 0}, "sample_rate"),
        ({"sample_rate": -8000}, "sample_rate"),
    ],
)
def test_impossible_settings_are_named(settings: dict[str, int], key: str) -> None:
    with pytest.raises(UserError, match=rf"data\.{key} is {settings[key]}"):
        LogMel(**settings)


@pytest.mark.parametrize("rate", [8000, 16000])
def test_how_long_audio_is_cut_up_for_the_filter_bank_changes_nothing(
    rate: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = noise(3, rate)
    whole = LogMel(rate, 12).energies(samples)
    for block in (1, 7, rate // 100, rate // 40, 4001):
        monkeypatch.setattr(features, "BLOCK", block)
        assert np.array_equal(LogMel(rate, 12).energies(samples), whole)
