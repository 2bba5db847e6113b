"""Strings of spoken units such that no split holds a string of another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocha_lightning.errors import UserError

SPLITS = ("train", "validation", "test")
EVALUATION_SHARE = 0.1
"""The most of all strings of one length that an evaluation split may take: the larger part of the
short ones, of which there are few, stays for training."""
ATTEMPTS = 1000
"""Draws without a new string after which there is taken to be none."""


@dataclass(frozen=True)
class Strings:
    """How many strings of which length each split has.

    Args:
        min_words: the fewest units in a string.
        max_words: the most units in a string.
        train_utterances: strings of the training split.
        validation_utterances: strings of the validation split.
        test_utterances: strings of the test split.
        corpus_seed: decides everything that is drawn by chance for this corpus.

    Raises:
        UserError: a number is out of range.
    """

    min_words: int
    max_words: int
    train_utterances: int
    validation_utterances: int
    test_utterances: int
    corpus_seed: int

    def __post_init__(self) -> None:
        if not 1 <= self.min_words <= self.max_words:
            raise UserError(
                f"data.min_words is {self.min_words} and data.max_words {self.max_words}: the "
                "first must be at least 1 and the second no less than the first"
            )
        for split, count in self.counts.items():
            if count < 1:
                raise UserError(f"data.{split}_utterances is {count}: it must be at least 1")
        if self.corpus_seed < 0:
            raise UserError(f"data.corpus_seed is {self.corpus_seed}: it must be at least 0")

    @property
    def counts(self) -> dict[str, int]:
        """Strings by split."""
        numbers = (self.train_utterances, self.validation_utterances, self.test_utterances)
        return dict(zip(SPLITS, numbers, strict=True))

    def draw(self, generator: np.random.Generator, units: Sequence[str]) -> dict[str, list[str]]:
        """The strings of each split: any length is as likely, so is any unit.

        Validation and test hold a string once. Training repeats one only where it finds no new
        one.

        Raises:
            UserError: there are too few strings for validation and test.
        """
        taken: set[str] = set()
        strings: dict[str, list[str]] = {}
        for split in reversed(SPLITS):
            strings[split] = self._draw_split(generator, units, split, taken)
            taken.update(strings[split])
        return strings

    def _draw_split(
        self, generator: np.random.Generator, units: Sequence[str], split: str, taken: set[str]
    ) -> list[str]:
        share = 1 if split == "train" else EVALUATION_SHARE
        room = [int(share * len(units) ** length) for length in range(self.max_words + 1)]
        own: list[str] = []
        seen: set[str] = set()
        while len(own) < self.counts[split]:
            for _ in range(ATTEMPTS):
                length = int(generator.integers(self.min_words, self.max_words + 1))
                text = " ".join(units[i] for i in generator.integers(len(units), size=length))
                if text not in taken and text not in seen and room[length] > 0:
                    room[length] -= 1
                    seen.add(text)
                    own.append(text)
                    break
            else:
                if split != "train":
                    raise UserError(
                        f"data.{split}_utterances is {self.counts[split]}: strings of "
                        f"{self.min_words} to {self.max_words} out of {len(units)} are too few for "
                        "so many that no other split holds: lower it or raise data.max_words"
                    )
                missing = self.counts[split] - len(own)
                own += [own[i] for i in generator.integers(len(own), size=missing)]
        return own
