"""The statistics that features are normalised by, and how."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float16, Float32, Float64
from numpy import ndarray


@dataclass(frozen=True)
class Normalization:
    """Mean 0 and standard deviation 1 for each feature, over a corpus's training frames.

    Args:
        mean: of each feature.
        deviation: of each feature, above 0.
    """

    mean: Float64[ndarray, "channels mel"]
    deviation: Float64[ndarray, "channels mel"]

    @classmethod
    def load(cls, path: Path) -> "Normalization":
        """Read what :meth:`save` has written."""
        return cls(*np.load(path))

    def save(self, path: Path) -> None:
        """Write both as one array."""
        np.save(path, np.stack([self.mean, self.deviation]))

    def apply(
        self, features: Float32[ndarray, "frames channels mel"]
    ) -> Float16[ndarray, "frames channels mel"]:
        """Normalise features and round them to 16-bit floats, as a recogniser is given them.

        Of numbers around 1 the rounding changes the fourth digit.
        """
        center, scale = self.mean.astype(np.float32), (1 / self.deviation).astype(np.float32)
        return ((features - center) * scale).astype("<f2")
