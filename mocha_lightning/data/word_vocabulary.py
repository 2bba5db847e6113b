"""The words of a summariser by number, and those of one document that have none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mocha_lightning.errors import UserError


@dataclass(frozen=True)
class WordVocabulary:
    """Words by number, after four marks: padding, an unknown word, start and end of the sequence.

    See et al. (2017, section 2.2) extend it for each document: the k-th distinct unknown word of
    the document, counted from 0, has the number ``len(vocabulary) + k``.

    Args:
        words: the known ones.

    Raises:
        UserError: a word is empty or listed twice.
    """

    words: tuple[str, ...]

    PAD: ClassVar[int] = 0
    UNK: ClassVar[int] = 1
    SOS: ClassVar[int] = 2
    EOS: ClassVar[int] = 3
    UNKNOWN: ClassVar[str] = "[UNK]"
    """How an unknown word of which nothing else is known is written."""

    def __post_init__(self) -> None:
        if len(self._numbers) < len(self.words) or "" in self._numbers:
            raise UserError("a vocabulary has an empty word or one twice: list each word once")

    def __len__(self) -> int:
        return self.EOS + 1 + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, self.EOS + 1)}

    def unknown(self, words: Iterable[str]) -> tuple[str, ...]:
        """The distinct words that have no number, in the order of their first occurrence."""
        return tuple(dict.fromkeys(word for word in words if word not in self._numbers))

    def encode(self, words: Iterable[str], unknown: Sequence[str] = ()) -> list[int]:
        """The numbers of words, without start or end mark.

        Args:
            words: any.
            unknown: those of a document, which have extended numbers; others are ``UNK``.
        """
        extended = {word: len(self) + place for place, word in enumerate(unknown)}
        return [self._numbers.get(word, extended.get(word, self.UNK)) for word in words]

    def decode(self, numbers: Iterable[int], unknown: Sequence[str] = ()) -> list[str]:
        """The words of a sequence of numbers, up to the first end mark.

        Args:
            numbers: extended ones among them; padding and start marks are skipped.
            unknown: the document's unknown words, which extended numbers stand for.

        Raises:
            IndexError: a number is of no word.
        """
        words = []
        for number in numbers:
            if number == self.EOS:
                break
            if number == self.UNK:
                words.append(self.UNKNOWN)
            elif number >= len(self):
                words.append(unknown[number - len(self)])
            elif number > self.EOS:
                words.append(self.words[number - self.EOS - 1])
        return words
