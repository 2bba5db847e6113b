"""What a recogniser attends to in one utterance, in expectation and hard (the paper's Figure 2)."""

from dataclasses import dataclass
from io import BytesIO

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy import ndarray
from torch import Tensor

from mocha_lightning.attention import Attended, Memory
from mocha_lightning.data import SpeechBatch, Vocabulary
from mocha_lightning.data.features import SHIFT_SECONDS
from mocha_lightning.recognizer.decoder import Decoder, Mode, teacher_inputs
from mocha_lightning.recognizer.encoder import Encoder


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
        """What :meth:`to_bytes` has written."""
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return cls(
                utterance=str(arrays["utterance"]),
                symbols=tuple(arrays["symbols"].tolist()),
                expected=arrays["expected"],
                hard=arrays["hard"],
                energies=arrays["energies"],
                frame_seconds=float(arrays["frame_seconds"]),
            )


@torch.no_grad()
def alignments_of(
    encoder: Encoder, decoder: Decoder, vocabulary: Vocabulary, batch: SpeechBatch
) -> Alignments:
    """What a recogniser attends to in the first utterance of a batch of one."""
    device = next(decoder.parameters()).device
    features, lengths, tokens = (
        part.to(device) for part in (batch.features, batch.frame_lengths, batch.tokens)
    )
    memory = decoder.prepare(*encoder(features, lengths))
    expected, hard = (
        forced_weights(decoder, memory, teacher_inputs(tokens), mode).cpu().numpy()
        for mode in ("expected", "hard")
    )
    return Alignments(
        utterance=batch.utterances[0],
        symbols=spelled(vocabulary, batch.tokens[0].tolist()),
        expected=expected,
        hard=hard,
        energies=batch.features[0, :, 0].numpy(),
        frame_seconds=SHIFT_SECONDS,
    )


@torch.no_grad()
def forced_weights(
    decoder: Decoder, memory: Memory, inputs: Int[Tensor, "1 outputs"], mode: Mode
) -> Float[Tensor, "outputs time"]:
    """What each output attends to, given the true outputs before it.

    Args:
        decoder: with the mechanism.
        memory: of one utterance.
        inputs: y_0, y_1, ...
        mode: in expectation, or hard.
    """
    time = memory.values.shape[1]
    state = decoder.start(memory, mode)
    weights = []
    for symbols in inputs.unbind(1):
        attended: Attended
        _, state, attended = decoder.step(symbols, memory, state, mode)
        weights.append(attended.over(time)[0])
    return torch.stack(weights)


def spelled(vocabulary: Vocabulary, tokens: list[int]) -> tuple[str, ...]:
    """Symbols as a picture shows them: a space and the end mark must be seen."""
    shown = {Vocabulary.EOS: "</s>"}
    symbols = [shown.get(token) or vocabulary.decode([token]) for token in tokens]
    return tuple("␣" if symbol == " " else symbol for symbol in symbols)
