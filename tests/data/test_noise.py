"""Pink noise."""

import numpy as np
import pytest

from mocha_lightning.data.noise import pink_noise


def test_power_falls_as_one_over_frequency_from_20_hz() -> None:
    noise = pink_noise(np.random.default_rng(0), 16000 * 20, 16000)
    power = np.abs(np.fft.rfft(noise)) ** 2
    frequency = np.fft.rfftfreq(len(noise), 1 / 16000)

    def octave(low: float) -> float:
        return float(power[(frequency >= low) & (frequency < 2 * low)].sum())

    octaves = [octave(low) for low in (62.5, 250, 1000, 4000)]  # pink: the same in each
    assert max(octaves) < 1.2 * min(octaves)
    assert power[frequency < 19].sum() < 1e-3 * power.sum()


def test_its_root_mean_square_is_one() -> None:
    noise = pink_noise(np.random.default_rng(0), 12345, 8000)
    assert len(noise) == 12345
    assert np.sqrt(np.mean(noise.astype(np.float64) ** 2)) == pytest.approx(1, rel=1e-5)


def test_a_seed_gives_the_same_noise() -> None:
    one, two = (pink_noise(np.random.default_rng(3), 1000, 8000) for _ in range(2))
    assert np.array_equal(one, two)
