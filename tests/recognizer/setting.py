"""A tiny recogniser, and batches of noise for it to learn."""

from functools import partial

import torch
from torch import Tensor

from mocha_lightning.attention import MoChA, MonotonicAttention, SoftAttention
from mocha_lightning.data import SpeechBatch, SpeechSpec, Vocabulary
from mocha_lightning.recognizer import CtcRecognizer, SpeechRecognizer

SPEC = SpeechSpec(Vocabulary((" ", "a", "b", "c")), channels=3, mel_bins=8)

MECHANISMS = {
    "soft": SoftAttention,
    "monotonic": partial(MonotonicAttention, offset=0, gain=2, noise_std=0.5),
    "mocha": partial(MoChA, offset=0, gain=2, noise_std=0.5, chunk_size=3),
}

TINY_ENCODER = {"filters": 4, "hidden_dim": 16, "layers": 2}
TINY = {**TINY_ENCODER, "decoder_dim": 12, "embedding_dim": 6, "energy_dim": 10}


def tiny(attention=SoftAttention, seed: int = 0, **arguments) -> SpeechRecognizer:
    torch.manual_seed(seed)
    return SpeechRecognizer(SPEC, attention, **{**TINY, **arguments})


def tiny_ctc(seed: int = 0, **arguments) -> CtcRecognizer:
    torch.manual_seed(seed)
    return CtcRecognizer(SPEC, **{**TINY_ENCODER, **arguments})


def features_of(frames: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(300 + seed)
    return torch.randn(frames, SPEC.channels, SPEC.mel_bins, generator=generator)


def padded(sequences: list[Tensor], extra: int = 0) -> tuple[Tensor, Tensor]:
    """Sequences with zeros after each one's end, and their lengths."""
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    shape = (len(sequences), int(lengths.max()) + extra, *sequences[0].shape[1:])
    batch = torch.zeros(shape, dtype=sequences[0].dtype)
    for row, sequence in enumerate(sequences):
        batch[row, : len(sequence)] = sequence
    return batch, lengths


UTTERANCES = {"one": (37, "ab c"), "two": (20, "b"), "three": (42, "ca bb"), "four": (29, "c a")}
ALL = tuple(UTTERANCES)


def speech(*names: str) -> SpeechBatch:
    """A batch of some of the utterances, in the order given."""
    order = list(UTTERANCES)
    features, frame_lengths = padded(
        [features_of(UTTERANCES[name][0], order.index(name)) for name in names]
    )
    texts = [UTTERANCES[name][1] for name in names]
    tokens, token_lengths = padded(
        [torch.tensor([*SPEC.vocabulary.encode(text), Vocabulary.EOS]) for text in texts]
    )
    return SpeechBatch(features, frame_lengths, tokens, token_lengths, names, tuple(texts))
