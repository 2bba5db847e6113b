"""What is computed of one utterance when a corpus is prepared.

Processes that prepare a corpus import this and what it imports, so none of that imports torch.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int16
from numpy import ndarray

from mocha_lightning.data.features import LogMel

BLOCK = 1000
"""Frames whose squares are in memory at a time, in 64 bits."""


class Extraction(NamedTuple):
    """What is kept of an utterance.

    Attributes:
        seconds: length of the audio.
        energies: log-mel energies.
        sums: of each feature (differences included) and of its square, over the frames; a corpus's
            statistics are made of these.
    """

    seconds: float
    energies: Float32[ndarray, "frames mel"]
    sums: Float64[ndarray, "2 channels mel"]


def extract(features: LogMel, samples: Int16[ndarray, " samples"]) -> Extraction:
    """The energies of audio at the features' sample rate, and their sums.

    Raises:
        UserError: the audio is shorter than one window.
    """
    energies = features.energies(samples.astype(np.float32) / 32768)
    full = features.add_deltas(energies)
    sums = np.zeros((2, *full.shape[1:]))
    for begin in range(0, len(full), BLOCK):
        block = full[begin : begin + BLOCK].astype(np.float64)
        # NumPy adds row after row to the first, so that going on from the sum so far rounds as
        # all at once does.
        for total, rows in zip(sums, (block, block * block), strict=True):
            rows[0] += total
            total[:] = rows.sum(0)
    return Extraction(len(samples) / features.sample_rate, energies, sums)
