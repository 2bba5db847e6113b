"""What a summariser attends to in one document."""

import torch

from mocha_lightning.data import DocumentBatch, WordVocabulary
from mocha_lightning.pictures.word_alignments import WordAlignments
from mocha_lightning.recognizer.decoder import teacher_inputs
from mocha_lightning.summarizer.decoder import Read, SummaryDecoder


def first_of(batch: DocumentBatch) -> DocumentBatch:
    """The first document of a batch, without padding."""
    words, outputs = int(batch.source_lengths[0]), int(batch.target_lengths[0])
    return DocumentBatch(
        batch.source[:1, :words],
        batch.extended_source[:1, :words],
        batch.source_lengths[:1],
        batch.target[:1, :outputs],
        batch.target_lengths[:1],
        batch.unknown[:1],
        batch.examples[:1],
    )


@torch.no_grad()
def alignments_of(
    decoder: SummaryDecoder, vocabulary: WordVocabulary, batch: DocumentBatch, read: Read
) -> WordAlignments:
    """What it attends to in a batch of one document, given the true words before each output."""
    (example,), (unknown,) = batch.examples, batch.unknown
    embedded = decoder.embed(teacher_inputs(batch.target, WordVocabulary.SOS))
    expected, hard = (
        decoder.forced_weights(embedded, read.memory, decoder.begin(read, mode), mode).cpu().numpy()
        for mode in ("expected", "hard")
    )
    return WordAlignments(
        example=example.id,
        source=tuple(vocabulary.decode(batch.extended_source[0].tolist(), unknown)),
        outputs=(*vocabulary.decode(batch.target[0].tolist(), unknown), "</s>"),
        expected=expected,
        hard=hard,
    )
