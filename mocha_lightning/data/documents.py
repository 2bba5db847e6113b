"""What a model must know of documents and their summaries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from jaxtyping import Int
from torch import Tensor


@dataclass(frozen=True)
class WordVocabulary:
    """Words by number, after four marks: padding, unknown word, start and end of a summary.

    Args:
        words: by falling frequency in the training split, ties by the alphabet.
    """

    words: tuple[str, ...]

    PAD: ClassVar[int] = 0
    UNK: ClassVar[int] = 1
    SOS: ClassVar[int] = 2
    EOS: ClassVar[int] = 3

    def __len__(self) -> int:
        return self.EOS + 1 + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, self.EOS + 1)}

    def encode(self, words: Iterable[str]) -> list[int]:
        """The number of each word, UNK for one that is not listed."""
        return [self._numbers.get(word, self.UNK) for word in words]

    def decode(self, numbers: Iterable[int], unknown: Sequence[str]) -> list[str]:
        """Words up to the first end mark; other marks but UNK are skipped.

        Args:
            numbers: of the vocabulary, or extended: ``len(self) + k`` is ``unknown[k]``.
            unknown: the document's distinct unknown words, in order.
        """
        found = []
        for number in numbers:
            if number == self.EOS:
                break
            if number >= len(self):
                found.append(unknown[number - len(self)])
            elif number > self.EOS:
                found.append(self.words[number - self.EOS - 1])
            elif number == self.UNK:
                found.append("<unk>")
        return found


class DocumentSpec(NamedTuple):
    """What a summariser must know of a corpus."""

    vocabulary: WordVocabulary


class Example(NamedTuple):
    """A document and its summary, as they are scored and shown.

    ``details`` are facts of a corpus's own, which go into the records of predictions.
    """

    id: str
    document: str
    summary: str
    details: dict[str, Any]


class DocumentBatch(NamedTuple):
    """Documents of one batch, with PAD after each one's end.

    Attributes:
        source: numbers of the vocabulary, UNK for a word that is not in it.
        extended_source: the same, but the k-th distinct unknown word of a document, counted from
            0, has the number ``len(vocabulary) + k`` (See et al. 2017).
        source_lengths: words of each document.
        target: the summary, which ends with the end mark: an unknown word has its extended number
            where it is in the document, and else UNK.
        target_lengths: words of each summary, the end mark counted.
        unknown: the distinct unknown words of each document, in order.
        examples: the texts.
    """

    source: Int[Tensor, "batch words"]
    extended_source: Int[Tensor, "batch words"]
    source_lengths: Int[Tensor, " batch"]
    target: Int[Tensor, "batch outputs"]
    target_lengths: Int[Tensor, " batch"]
    unknown: tuple[tuple[str, ...], ...]
    examples: tuple[Example, ...]
