"""A tiny summariser, and documents with words that its vocabulary lacks."""

from functools import partial

import torch
from torch import Tensor

from mocha_lightning.attention import MoChA, MonotonicAttention, NoAttention, SoftAttention
from mocha_lightning.data import DocumentBatch, DocumentSpec, Example, WordVocabulary
from mocha_lightning.summarizer import Summarizer

VOCABULARY = WordVocabulary(("a", "b", "c", "d", "e", "f", "."))
SPEC = DocumentSpec(VOCABULARY)
V = len(VOCABULARY)

MECHANISMS = {
    "soft": SoftAttention,
    "monotonic": partial(MonotonicAttention, offset=0, gain=2, noise_std=0.5),
    "mocha": partial(MoChA, offset=0, gain=2, noise_std=0.5, chunk_size=3),
    "none": NoAttention,
}

TINY = {
    **{"embedding_dim": 10, "encoder_dim": 8, "decoder_dim": 14, "output_embedding_dim": 9},
    **{"energy_dim": 12, "max_outputs": 10},
}

DOCUMENTS = {
    "one": ("a xx b yy xx c", "xx b yy ."),
    "two": ("d e", "e ."),
    "three": ("yy f . a zz b c d", "f zz zz qq ."),
    "four": ("c xx d", "xx d"),
}
"""Of each the document and the summary; xx, yy, zz and qq are in no vocabulary."""
ALL = tuple(DOCUMENTS)


def tiny(attention=SoftAttention, seed: int = 0, **arguments) -> Summarizer:
    torch.manual_seed(seed)
    return Summarizer(SPEC, attention, **{**TINY, **arguments})


def lively(name: str, **arguments) -> Summarizer:
    """Untrained, but with outputs that are not all the same and a gate that is not at 0.5."""
    task = tiny(MECHANISMS[name], **arguments).eval()
    with torch.no_grad():
        task.encoder.embedding.weight.mul_(3)
        task.decoder.embedding.weight.mul_(3)
        task.decoder.output.weight.mul_(10)
        task.decoder.pointer_generator.gate.weight.mul_(6)
    return task


def padded(rows: list[list[int]], extra: int = 0) -> tuple[Tensor, Tensor]:
    """Rows with PAD after each one's end, and their lengths."""
    lengths = torch.tensor([len(row) for row in rows])
    batch = torch.full((len(rows), int(lengths.max()) + extra), VOCABULARY.PAD)
    for number, row in enumerate(rows):
        batch[number, : len(row)] = torch.tensor(row)
    return batch, lengths


def documents(*names: str, extra: int = 0) -> DocumentBatch:
    """A batch of some of the documents, in the order given, with some more padding."""
    sources, extended, targets, unknowns, examples = [], [], [], [], []
    for name in names:
        document, summary = (text.split() for text in DOCUMENTS[name])
        sources.append(VOCABULARY.encode(document))
        numbers = {word: V + k for k, word in enumerate(unknown_words(document))}
        unknowns.append(tuple(numbers))
        pairs = zip(document, sources[-1], strict=True)
        extended.append([numbers.get(word, number) for word, number in pairs])
        known = zip(summary, VOCABULARY.encode(summary), strict=True)
        targets.append([*(numbers.get(word, number) for word, number in known), VOCABULARY.EOS])
        examples.append(Example(name, *DOCUMENTS[name], {"lead": document[0]}))
    source, source_lengths = padded(sources, extra)
    target, target_lengths = padded(targets, extra)
    return DocumentBatch(
        source,
        padded(extended, extra)[0],
        source_lengths,
        target,
        target_lengths,
        tuple(unknowns),
        tuple(examples),
    )


def unknown_words(document: list[str]) -> list[str]:
    """The distinct ones, in order."""
    return [word for word in dict.fromkeys(document) if VOCABULARY.encode([word]) == [1]]
