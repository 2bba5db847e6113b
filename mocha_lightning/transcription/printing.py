"""How words are printed as they come: as text, in a line each, or as JSON."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import groupby

from mocha_lightning.transcription.listener import Word
from mocha_lightning.transcription.options import Form


@dataclass(frozen=True)
class Heard:
    """What came of one file.

    Attributes:
        words: all of them.
        seconds: of audio.
        busy: seconds that it took to recognise it.
        silent: whether all of it was silence.
    """

    words: list[Word]
    seconds: float
    busy: float
    silent: bool

    @property
    def utterances(self) -> list[str]:
        """The text of each utterance that has words."""
        groups = groupby(self.words, lambda word: word.utterance)
        return [" ".join(word.text for word in words) for _, words in groups]

    @property
    def speed(self) -> str:
        """How much audio took how long, in words."""
        return (
            f"{self.seconds:.2f} s of audio took {self.busy:.2f} s to recognise: real-time factor "
            f"{self.real_time_factor:.3f}"
        )

    @property
    def real_time_factor(self) -> float:
        """Time to recognise over length of audio; 0 of none."""
        return self.busy / self.seconds if self.seconds else 0.0


class Printer(ABC):
    """Prints what is recognised in one file, each word at once.

    Args:
        name: of the file.
        several: whether there are other files that it must be told from.
    """

    def __init__(self, name: str, several: bool) -> None:
        self.name = name
        self.prefix = f"{name}: " if several else ""

    @abstractmethod
    def word(self, word: Word) -> None:
        """Print the next word."""

    @abstractmethod
    def end(self, heard: Heard, whole: bool) -> None:
        """Print what follows the last word; ``whole``: all of the file was heard."""


class Text(Printer):
    """The words of each utterance in a line."""

    def __init__(self, name: str, several: bool) -> None:
        super().__init__(name, several)
        self.utterance: int | None = None

    def word(self, word: Word) -> None:
        """Print it, and a line's end where it is of another utterance than the last."""
        if word.utterance == self.utterance:
            begin = " "
        else:
            begin = self.prefix if self.utterance is None else f"\n{self.prefix}"
        self.utterance = word.utterance
        print(begin + word.text, end="", flush=True)

    def end(self, heard: Heard, whole: bool) -> None:
        """Print the line's end."""
        if self.utterance is not None:
            print(flush=True)


class Timestamps(Printer):
    """A line for each word: when it was decided, where its last symbol's stop was, the word."""

    def __init__(self, name: str, several: bool) -> None:
        super().__init__(name, several)
        self.utterance: int | None = None

    def word(self, word: Word) -> None:
        """Print it, after an empty line where it is of another utterance than the last."""
        if self.utterance not in (None, word.utterance):
            print()
        self.utterance = word.utterance
        stopped = "-" if word.stopped is None else f"{word.stopped:.3f}"
        print(f"{self.prefix}{word.decided:9.3f} {stopped:>9} {word.text}", flush=True)

    def end(self, heard: Heard, whole: bool) -> None:
        """There is nothing more to print."""


class Json(Printer):
    """A JSON object in a line for each word and one for the file."""

    def word(self, word: Word) -> None:
        """Print it."""
        print(json.dumps({"file": self.name, **_fields(word)}), flush=True)

    def end(self, heard: Heard, whole: bool) -> None:
        """Print all of it once more, and how fast it was recognised."""
        content = {
            "file": self.name,
            "whole": whole,
            "text": " ".join(heard.utterances),
            "utterances": heard.utterances,
            "words": [_fields(word) for word in heard.words],
            "seconds": round(heard.seconds, 4),
            "real_time_factor": round(heard.real_time_factor, 4),
        }
        print(json.dumps(content), flush=True)


PRINTERS: dict[Form, type[Printer]] = {"text": Text, "timestamps": Timestamps, "json": Json}


def _fields(word: Word) -> dict[str, object]:
    return {
        "word": word.text,
        "utterance": word.utterance,
        "decided": round(word.decided, 4),
        "stopped": None if word.stopped is None else round(word.stopped, 4),
    }
