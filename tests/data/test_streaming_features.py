"""Features of a stream are those of the whole, to the last bit, however it is cut."""

import numpy as np
import pytest

from mocha_lightning.data import LogMel
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.data.streaming_features import FeatureStream
from mocha_lightning.errors import UserError

RATE, MEL = 8000, 12


def audio(samples: int) -> np.ndarray:
    generator = np.random.default_rng(samples)
    return generator.integers(-9000, 9000, samples).astype(np.float32) / 32768


def statistics(features: LogMel) -> Normalization:
    generator = np.random.default_rng(0)
    shape = (features.channels, features.mel_bins)
    return Normalization(generator.normal(size=shape), generator.uniform(0.5, 2, shape))


def stream(features: LogMel) -> FeatureStream:
    return FeatureStream(features, statistics(features))


def in_pieces(samples: np.ndarray, longest: int, seed: int = 0) -> list[np.ndarray]:
    """Pieces of random lengths, empty ones among them."""
    generator = np.random.default_rng(seed)
    cuts, at = [], 0
    while at < len(samples):
        at += int(generator.integers(0, longest + 1))
        cuts.append(min(at, len(samples)))
    return np.split(samples, cuts)


@pytest.mark.parametrize("deltas", [True, False])
@pytest.mark.parametrize("longest", [1, 30, 81, 700, 100_000])
@pytest.mark.parametrize("samples", [200, 279, 280, 440, 600, 5017])
def test_any_cutting_gives_the_features_of_the_whole(
    samples: int, longest: int, deltas: bool
) -> None:
    features, whole = LogMel(RATE, MEL, deltas), audio(samples)
    expected = statistics(features).apply(features.extract(whole, RATE))
    at = stream(features)
    found = [*(at.accept(piece) for piece in in_pieces(whole, longest)), at.finish()]
    assert np.concatenate(found).dtype == expected.dtype == np.float16
    assert np.array_equal(np.concatenate(found), expected)


@pytest.mark.parametrize("deltas", [True, False])
def test_a_frame_comes_with_the_sample_that_completes_what_it_looks_ahead_to(deltas: bool) -> None:
    features, whole = LogMel(RATE, MEL, deltas), audio(2000)
    at, given = stream(features), 0
    for count, sample in enumerate(whole, 1):
        given += len(at.accept(np.array([sample])))
        windows = max(0, (count - 200) // 80 + 1)  # 25 ms, every 10 ms
        assert given == max(0, windows - features.lookahead)
    assert features.lookahead == (4 if deltas else 0)


def test_what_it_keeps_does_not_grow() -> None:
    at = stream(LogMel(RATE, MEL))
    for _ in range(300):
        at.accept(audio(400))
    assert len(at._energies) == 2 * at.features.lookahead


def test_audio_shorter_than_a_window_is_refused_at_its_end() -> None:
    at = stream(LogMel(RATE, MEL))
    assert at.accept(audio(199)).shape == (0, 3, MEL)
    with pytest.raises(UserError, match="of 199 samples at 8000 Hz is shorter than one window"):
        at.finish()
