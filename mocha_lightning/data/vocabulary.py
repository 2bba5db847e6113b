"""The output symbols of a recogniser: characters, with the space between words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import ClassVar

from mocha_lightning.errors import UserError


@dataclass(frozen=True)
class Vocabulary:
    """Symbols by number, after three marks: padding, start and end of the sequence.

    Args:
        symbols: what a transcript is made of: characters, of which the space parts words, and
            longer ones that count as one output (``<noise>``).
        unscored: those of them that are recognised like others and are nothing said: scores take
            a text without them, on both sides.

    Raises:
        UserError: a symbol is empty or listed twice; an unscored one is not listed.
    """

    symbols: tuple[str, ...] = (" ", *ascii_lowercase)
    unscored: tuple[str, ...] = ()

    PAD: ClassVar[int] = 0
    SOS: ClassVar[int] = 1
    EOS: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if len(self._numbers) < len(self.symbols) or "" in self._numbers:
            raise UserError(
                f"the vocabulary {self} has an empty symbol or one twice: list each symbol once"
            )
        if not set(self.unscored) <= set(self.symbols):
            raise UserError(f"the vocabulary {self} lacks some of {self.unscored}: list each")

    def __len__(self) -> int:
        return self.EOS + 1 + len(self.symbols)

    def __str__(self) -> str:
        return repr("".join(self.symbols))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols, self.EOS + 1)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Any symbol, the longest first; where none fits, the one character there."""
        longest_first = sorted(self.symbols, key=len, reverse=True)
        return re.compile("|".join([*map(re.escape, longest_first), "."]), re.DOTALL)

    def foreign(self, text: str) -> str | None:
        """The first character of a text that belongs to no symbol, if there is one."""
        pieces: list[str] = self._pattern.findall(text)
        return next((piece for piece in pieces if piece not in self._numbers), None)

    def encode(self, text: str) -> list[int]:
        """The numbers of a text's symbols, without start or end mark.

        Raises:
            UserError: a character is not in the vocabulary.
        """
        unknown = self.foreign(text)
        if unknown is not None:
            raise UserError(
                f"character {unknown!r} of {text!r} is not in the vocabulary {self}: "
                "normalise the transcripts"
            )
        return [self._numbers[symbol] for symbol in self._pattern.findall(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of a sequence of numbers, up to the first end mark; other marks are skipped."""
        text = ""
        for number in ids:
            if number == self.EOS:
                break
            if number > self.EOS:
                text += self.symbols[number - self.EOS - 1]
        return text

    def scored(self, text: str) -> str:
        """A text as scores take it: without the unscored symbols, single spaces between words."""
        for symbol in self.unscored:
            text = text.replace(symbol, " ")
        return " ".join(text.split()) if self.unscored else text
