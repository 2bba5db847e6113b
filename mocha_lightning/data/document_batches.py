"""Documents and summaries as numbers, and batches of them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from numpy import ndarray
from torch import Tensor
from torch.utils.data import Dataset

from mocha_lightning.data.document_store import DocumentStore
from mocha_lightning.data.document_texts import TokenizedText
from mocha_lightning.data.word_vocabulary import WordVocabulary


@dataclass(frozen=True)
class DocumentSpec:
    """What a summariser must know of a corpus."""

    vocabulary: WordVocabulary


class Example(NamedTuple):
    """One document with its summary, whole: as they are scored and shown.

    Words are parted by a space and sentences by a line end; nothing is cut.

    Args:
        id: its name, unique in its split.
        document: the text to be summarised.
        summary: the reference.
        details: whatever else the corpus knows of it, as JSON; ``lead`` is the document's first
            sentences, which are the lead baseline's summary.
    """

    id: str
    document: str
    summary: str
    details: dict[str, Any]


class DocumentBatch(NamedTuple):
    """Documents of one batch, cut to the longest that are read; padded with ``PAD``.

    Attributes:
        source: the documents' words; unknown ones are ``UNK``.
        extended_source: the same, where the k-th distinct unknown word of a document (from 0) has
            the number ``len(vocabulary) + k`` (See et al. 2017).
        source_lengths: words of each document.
        target: the summaries' words, then ``EOS``. A word that the vocabulary lacks has its
            document's extended number, or is ``UNK`` where the document lacks it too.
        target_lengths: words of each summary, ``EOS`` counted.
        unknown: the distinct unknown words of each document, in the order of their numbers.
        examples: the texts.
    """

    source: Int[Tensor, "batch words"]
    extended_source: Int[Tensor, "batch words"]
    source_lengths: Int[Tensor, " batch"]
    target: Int[Tensor, "batch outputs"]
    target_lengths: Int[Tensor, " batch"]
    unknown: tuple[tuple[str, ...], ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Cut:
    """How much of a text is used.

    Args:
        source_words: a document's first words, which are read.
        target_words: a summary's first words, which are learned.
        lead_sentences: a document's first sentences, which are its lead.
    """

    source_words: int
    target_words: int
    lead_sentences: int


class NumberedExample(NamedTuple):
    """One example, ready for a batch."""

    extended_source: Int[Tensor, " words"]
    target: Int[Tensor, " outputs"]
    unknown: tuple[str, ...]
    vocabulary_size: int
    example: Example


def numbered(text: TokenizedText, vocabulary: WordVocabulary, cut: Cut) -> NumberedExample:
    """Put numbers for the words of a text."""
    source = text.document.split()[: cut.source_words]
    target = text.summary.split()[: cut.target_words]
    unknown = vocabulary.unknown(source)
    lead = "\n".join(text.document.split("\n")[: cut.lead_sentences])
    return NumberedExample(
        torch.tensor(vocabulary.encode(source, unknown)),
        torch.tensor([*vocabulary.encode(target, unknown), vocabulary.EOS]),
        unknown,
        len(vocabulary),
        Example(text.id, text.document, text.summary, {**text.details, "lead": lead}),
    )


def collate(examples: list[NumberedExample]) -> DocumentBatch:
    """Examples as one padded batch."""
    extended, source_lengths = _padded([each.extended_source for each in examples])
    target, target_lengths = _padded([each.target for each in examples])
    return DocumentBatch(
        extended.masked_fill(extended >= examples[0].vocabulary_size, WordVocabulary.UNK),
        extended,
        source_lengths,
        target,
        target_lengths,
        tuple(each.unknown for each in examples),
        tuple(each.example for each in examples),
    )


def _padded(
    rows: list[Int[Tensor, " _"]],
) -> tuple[Int[Tensor, "batch length"], Int[Tensor, " batch"]]:
    padded = torch.nn.utils.rnn.pad_sequence(
        rows, batch_first=True, padding_value=WordVocabulary.PAD
    )
    return padded, torch.tensor([len(row) for row in rows])


class DocumentSplit(Dataset[NumberedExample]):
    """The documents of one split, read from disk when they are asked for.

    Args:
        store: the prepared corpus.
        split: train, validation or test.
        vocabulary: the known words.
        cut: how much of a text is used.
    """

    def __init__(
        self, store: DocumentStore, split: str, vocabulary: WordVocabulary, cut: Cut
    ) -> None:
        self.store = store
        self.rows = store.rows(split)
        self.vocabulary = vocabulary
        self.cut = cut

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> NumberedExample:
        return numbered(self.store[self.rows[index]], self.vocabulary, self.cut)

    @property
    def lengths(self) -> Int[ndarray, " documents"]:
        """Words of each document that are read."""
        return np.asarray(np.minimum(self._column("document_words"), self.cut.source_words))

    def describe(self) -> dict[str, Any]:
        """Its size, how much is cut off, and how much of the summaries could be copied."""
        documents, summaries = self._column("document_words"), self._column("summary_words")
        unknown = self._column("commonest") >= len(self.vocabulary.words)
        return {
            "documents": len(self),
            "mean_document_words": round(float(documents.mean()), 1),
            "max_document_words": int(documents.max()),
            "mean_summary_words": round(float(summaries.mean()), 1),
            "share_of_documents_cut": _share((documents > self.cut.source_words).mean()),
            "share_of_summaries_cut": _share((summaries > self.cut.target_words).mean()),
            "share_of_summary_words_in_document": _share(
                self._column("copied_words").sum() / summaries.sum()
            ),
            "documents_of_unknown_words_alone": int(unknown.sum()),
        }

    def _column(self, name: str) -> ndarray:
        column: ndarray = self.store.index[name][self.rows]
        return column


def _share(value: float) -> float:
    return round(float(value), 4)
