"""What a recogniser attends to in one utterance (the paper's Figure 2)."""

import torch

from mocha_lightning.data import SpeechBatch, Vocabulary
from mocha_lightning.data.features import SHIFT_MILLISECONDS
from mocha_lightning.pictures.alignments import Alignments
from mocha_lightning.recognizer.decoder import Decoder, teacher_inputs
from mocha_lightning.recognizer.encoder import Encoder


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
    embedded = decoder.embedding(teacher_inputs(tokens, Vocabulary.SOS))
    expected, hard = (
        decoder.forced_weights(embedded, memory, decoder.start(memory, mode), mode).cpu().numpy()
        for mode in ("expected", "hard")
    )
    return Alignments(
        utterance=batch.utterances[0],
        symbols=spelled(vocabulary, batch.tokens[0].tolist()),
        expected=expected,
        hard=hard,
        energies=batch.features[0, :, 0].numpy(),
        frame_seconds=SHIFT_MILLISECONDS / 1000,
    )


def spelled(vocabulary: Vocabulary, tokens: list[int]) -> tuple[str, ...]:
    """Symbols as a picture shows them: a space and the end mark must be seen."""
    shown = {Vocabulary.EOS: "</s>"}
    symbols = [shown.get(token) or vocabulary.decode([token]) for token in tokens]
    return tuple("␣" if symbol == " " else symbol for symbol in symbols)
