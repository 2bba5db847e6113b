"""The output symbols of a recogniser: characters, with the space between words."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import ClassVar

from mocha_lightning.errors import UserError


@dataclass(frozen=True)
class Vocabulary:
    """Characters by number, after three marks: padding, start and end of the sequence.

    Args:
        symbols: the characters a transcript may hold; the space parts words.
    """

    symbols: tuple[str, ...] = (" ", *ascii_lowercase)

    PAD: ClassVar[int] = 0
    SOS: ClassVar[int] = 1
    EOS: ClassVar[int] = 2

    def __len__(self) -> int:
        return self.EOS + 1 + len(self.symbols)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols, self.EOS + 1)}

    def encode(self, text: str) -> list[int]:
        """The numbers of a text's characters, without start or end mark.

        Raises:
            UserError: a character is not in the vocabulary.
        """
        unknown = next((character for character in text if character not in self._numbers), None)
        if unknown is not None:
            allowed = "".join(self.symbols)
            raise UserError(
                f"character {unknown!r} of {text!r} is not in the vocabulary {allowed!r}: "
                "normalise the transcripts"
            )
        return [self._numbers[character] for character in text]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of a sequence of numbers, up to the first end mark; other marks are skipped."""
        text = ""
        for number in ids:
            if number == self.EOS:
                break
            if number > self.EOS:
                text += self.symbols[number - self.EOS - 1]
        return text
