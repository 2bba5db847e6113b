"""Audio in, symbols out, while it is being said."""

import torch
from jaxtyping import Float16, Float32
from numpy import ndarray
from torch import Tensor

from mocha_lightning.data.features import LogMel
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.data.streaming_features import FeatureStream
from mocha_lightning.recognizer.module import SpeechRecognizer
from mocha_lightning.recognizer.streaming_decoder import Output
from mocha_lightning.recognizer.streaming_encoder import EncoderStream


class Streamer:
    """Recognises one utterance from pieces of audio; each symbol comes once it is decided.

    The symbols do not depend on how the audio is cut. Memory and time for each second of audio
    are bounded with every mechanism whose chunks are (:class:`MonotonicAttention`,
    :class:`MoChA`, :class:`AdaptiveMoChA`; :class:`MAtChA` as far as its chunks are).

    Args:
        recognizer: in evaluation.
        features: those that it was trained on.
        normalization: of the corpus that it was trained on.

    Raises:
        UserError: its attention needs the whole memory.
        ValueError: it is in training.
    """

    def __init__(
        self, recognizer: SpeechRecognizer, features: LogMel, normalization: Normalization
    ) -> None:
        self._features = FeatureStream(features, normalization)
        self._encoder = EncoderStream(recognizer.encoder)
        self._decoder = recognizer.stream()
        self._device = next(recognizer.parameters()).device

    @property
    def ended(self) -> bool:
        """Whether the end symbol has come: what is said after it is not heard."""
        return self._decoder.ended

    def accept(self, samples: Float32[ndarray, " samples"]) -> list[Output]:
        """The symbols that some more audio decides; samples in [-1, 1]."""
        frames = self._tensor(self._features.accept(samples))
        return self._decoder.accept(self._encoder.accept(frames))

    def finish(self) -> list[Output]:
        """The symbols that were left, now that there is no more audio.

        Raises:
            UserError: all of it was shorter than one window.
        """
        frames = self._tensor(self._features.finish())
        entries = [self._encoder.accept(frames), self._encoder.finish()]
        return self._decoder.accept(torch.cat(entries)) + self._decoder.finish()

    def _tensor(self, frames: Float16[ndarray, "frames channels mel"]) -> Tensor:
        return torch.from_numpy(frames).to(self._device, torch.float32)
