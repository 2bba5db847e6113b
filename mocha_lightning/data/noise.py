"""Background noise."""

import numpy as np
from jaxtyping import Float32
from numpy import ndarray
from scipy.fft import irfft, next_fast_len, rfftfreq


def pink_noise(generator: np.random.Generator, samples: int) -> Float32[ndarray, " samples"]:
    """Gaussian noise whose power falls as 1 / frequency, with root mean square 1.

    It lies under speech more evenly than white noise, whose power sits where speech has little.
    """
    length = next_fast_len(samples, real=True)
    spectrum = generator.standard_normal((length // 2 + 1, 2), dtype=np.float32)
    frequency = rfftfreq(length).astype(np.float32)
    frequency[0] = np.inf  # no constant part
    noise = irfft(spectrum.view(np.complex64)[:, 0] / np.sqrt(frequency), length)[:samples]
    return (noise / np.sqrt(np.mean(np.square(noise)))).astype(np.float32)
