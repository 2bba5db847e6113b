"""What turns audio into a recogniser's input and its outputs into text, kept in checkpoints."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64
from numpy import ndarray

from mocha_lightning.data.features import LogMel
from mocha_lightning.data.kept import reading_kept
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.data.vocabulary import Vocabulary

FORMAT = 1
"""Raised whenever what is kept changes."""


@dataclass(frozen=True)
class Frontend:
    """All that recognition needs beside weights, so that a run is used without its corpus.

    Attributes:
        features: what is extracted from audio.
        normalization: by the statistics of the corpus.
        vocabulary: what the outputs stand for.
        sha256: of the corpus.
    """

    features: LogMel
    normalization: Normalization
    vocabulary: Vocabulary
    sha256: str

    def state_dict(self) -> dict[str, Any]:
        """It as tensors and plain values."""
        return {
            "format": FORMAT,
            "features": asdict(self.features),
            "mean": torch.from_numpy(self.normalization.mean),
            "deviation": torch.from_numpy(self.normalization.deviation),
            "symbols": list(self.vocabulary.symbols),
            "sha256": self.sha256,
        }

    @classmethod
    def of_state_dict(cls, state: dict[str, Any]) -> "Frontend":
        """Read what :meth:`state_dict` gives.

        Raises:
            UserError: it is of another version, or not what that gives.
        """
        with reading_kept(state, FORMAT):
            features = LogMel(**state["features"])
            mean, deviation = (state[name].double().numpy() for name in ("mean", "deviation"))
            shape = (features.channels, features.mel_bins)
            if not mean.shape == deviation.shape == shape:
                raise ValueError(f"statistics of shape {mean.shape}, not {shape}")
            _check_numbers(features, mean, deviation)
            symbols = tuple(state["symbols"])
            if not all(isinstance(symbol, str) for symbol in symbols):
                raise TypeError("a symbol is no text")
            vocabulary = Vocabulary(symbols)
            return cls(features, Normalization(mean, deviation), vocabulary, str(state["sha256"]))


def _check_numbers(
    features: LogMel, mean: Float64[ndarray, "channels mel"], deviation: Float64[ndarray, "..."]
) -> None:
    """Refuse what would be loaded and then make nonsense of every sound."""
    if type(features.sample_rate) is not int:
        raise TypeError(f"sample_rate is {features.sample_rate!r} and no whole number")
    if not np.isfinite(mean).all():
        raise ValueError("a mean that is no finite number")
    if not (np.isfinite(deviation) & (deviation > 0)).all():
        raise ValueError("a deviation that is no finite number above 0")
