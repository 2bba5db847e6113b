"""Features of audio that comes in pieces."""

import numpy as np
from jaxtyping import Float16, Float32
from numpy import ndarray

from mocha_lightning.data.features import LogMel, check_long_enough, drain
from mocha_lightning.data.normalization import Normalization


class FeatureStream:
    """Turns samples into normalised features as soon as what they look ahead to is there.

    However the audio is cut, the features are to the last bit those of :meth:`LogMel.extract`,
    normalised and rounded as :class:`FeatureCache` does. A frame comes :attr:`LogMel.lookahead`
    frames after its own window is full, the last ones at the end. It keeps those few frames of
    energies and less than a window of samples, however long the audio.

    Args:
        features: what to extract.
        normalization: of the corpus that the recogniser was trained on.
    """

    def __init__(self, features: LogMel, normalization: Normalization) -> None:
        self.features = features
        self.normalization = normalization
        self._bank = features.bank()
        self._samples = 0
        self._frames = 0
        # Energies that later frames look back to, and how many of them have been given out.
        self._energies = np.zeros((0, features.mel_bins), np.float32)
        self._done = 0

    def accept(
        self, samples: Float32[ndarray, " samples"]
    ) -> Float16[ndarray, "frames channels mel"]:
        """The frames that some more samples, in [-1, 1], make complete."""
        self._samples += len(samples)
        self._bank.accept_waveform(self.features.sample_rate, samples.tolist())
        return self._complete(self.features.lookahead)

    def finish(self) -> Float16[ndarray, "frames channels mel"]:
        """The frames that were left, now that there is no more audio.

        Raises:
            UserError: all of the audio was shorter than one window.
        """
        check_long_enough(self._samples, self.features.sample_rate)
        self._bank.input_finished()
        return self._complete(0)

    def _complete(self, lookahead: int) -> Float16[ndarray, "frames channels mel"]:
        """All frames but the last ``lookahead``, which need those to come."""
        fresh = drain(self._bank, self._frames)
        self._frames += len(fresh)
        self._energies = np.concatenate([self._energies, *(frame[None] for frame in fresh)])
        end = len(self._energies) - lookahead
        if end <= self._done:
            shape = (0, self.features.channels, self.features.mel_bins)
            return self.normalization.apply(np.zeros(shape, np.float32))
        # Differences within ``lookahead`` frames of where these energies end (or, but for the
        # audio's own start, begin) are not those of the whole: such frames are not given out.
        full = self.features.add_deltas(self._energies)[self._done : end]
        begin = max(0, end - self.features.lookahead)
        self._energies = self._energies[begin:].copy()
        self._done = end - begin
        return self.normalization.apply(full)
