"""What a model attends to in one example, in expectation and hard, as a file of arrays."""

import math
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from jaxtyping import Float
from numpy import ndarray

from mocha_lightning.pictures.arrays import numbers, words


@dataclass(frozen=True)
class Alignments:
    """Attention over the memory at every output, the true outputs given as inputs.

    Attributes:
        utterance: its name in the corpus.
        symbols: the outputs, the end mark included.
        expected: weights in expectation, as in training.
        hard: weights at test time.
        energies: log-mel energies of the audio, as the recogniser hears them.
        frame_seconds: from one frame of these to the next.
    """

    utterance: str
    symbols: tuple[str, ...]
    expected: Float[ndarray, "outputs time"]
    hard: Float[ndarray, "outputs time"]
    energies: Float[ndarray, "frames mel"]
    frame_seconds: float

    def to_bytes(self) -> bytes:
        """The content of an ``.npz`` file."""
        content = BytesIO()
        np.savez_compressed(
            content,
            utterance=np.array(self.utterance),
            symbols=np.array(self.symbols),
            expected=self.expected,
            hard=self.hard,
            energies=self.energies,
            frame_seconds=np.array(self.frame_seconds),
        )
        return content.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Alignments":
        """What :meth:`to_bytes` has written.

        Raises:
            ValueError: it is not; NumPy and zipfile have exceptions of their own.
        """
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            symbols = words(arrays["symbols"])
            expected = numbers(arrays["expected"], len(symbols))
            seconds = float(arrays["frame_seconds"])
            if not 0 < seconds < math.inf:
                raise ValueError(f"a frame of {seconds} seconds")
            return cls(
                utterance=str(arrays["utterance"]),
                symbols=symbols,
                expected=expected,
                hard=numbers(arrays["hard"], *expected.shape),
                energies=numbers(arrays["energies"]),
                frame_seconds=seconds,
            )
