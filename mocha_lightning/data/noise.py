"""Background noise."""

import numpy as np
from jaxtyping import Float32
from numpy import ndarray
from scipy.fft import irfft, next_fast_len, rfftfreq

LOWEST = 20
"""In Hz. Without a limit most of the power of pink noise would lie where nothing hears it."""


def pink_noise(
    generator: np.random.Generator, samples: int, sample_rate: int
) -> Float32[ndarray, " samples"]:
    """Gaussian noise whose power falls as 1 / frequency from 20 Hz up, root mean square 1.

    Pink, because white noise has most of its power where speech has least.
    """
    length = next_fast_len(samples, real=True)
    frequency = rfftfreq(length, 1 / sample_rate).astype(np.float32)
    frequency[frequency < LOWEST] = np.inf
    parts = generator.standard_normal((len(frequency), 2), dtype=np.float32)
    spectrum = parts.view(np.complex64)[:, 0] / np.sqrt(frequency)
    noise: Float32[ndarray, " samples"] = irfft(spectrum, length)[:samples]
    return np.asarray(noise / np.sqrt(np.mean(np.square(noise))), np.float32)
