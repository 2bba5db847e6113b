"""How summaries are printed: as text, or as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mocha_lightning.summarizer.streaming import SummaryWord
from mocha_lightning.summarizer.text import ENDS, text_of


@dataclass(frozen=True)
class Summary:
    """What came of one document.

    Attributes:
        words: of the summary.
        read: words of the document that were read.
        document: words that it has; None where it was not read to its end.
        ended: whether the summariser said that it is over, before the cap on its words.
    """

    words: Sequence[str]
    read: int
    document: int | None
    ended: bool


class Printer:
    """Prints summaries, whole or word by word.

    Args:
        name: of the document.
        several: whether there are others that it must be told from.
        as_json: whether to print JSON.
        row: what a row of a file has beside, its id among it; the summary is then called a
            hypothesis, as in a run's predictions, so that ``evaluate`` takes what is printed.
    """

    def __init__(
        self, name: str, several: bool, as_json: bool, row: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.row = row
        self.prefix = f"{name if row is None else row['id']}: " if several else ""
        self.as_json = as_json
        self._last: str | None = None

    def word(self, word: SummaryWord) -> None:
        """Print the next word."""
        if self.as_json:
            content = {
                "file": self.name,
                "word": word.text,
                "read": word.read,
                "stopped": word.stopped,
            }
            print(json.dumps(content), flush=True)
            return
        between = "" if self._last is None else "\n" if self._last in ENDS else " "
        self._last = word.text
        print(between + word.text, end="", flush=True)

    def end(self, summary: Summary) -> None:
        """Print what follows the last word that was printed, or all of a summary."""
        text = text_of(summary.words)
        if self.as_json:
            content = {
                "file": self.name,
                **(self.row or {}),
                "summary" if self.row is None else "hypothesis": text,
                "words": list(summary.words),
                "words_read": summary.read,
                "document_words": summary.document,
                "ended": summary.ended,
            }
            print(json.dumps(content), flush=True)
        elif self._last is not None:
            print(flush=True)
        else:
            for line in text.split("\n"):
                print(f"{self.prefix}{line}".rstrip(), flush=True)

    def break_off(self) -> None:
        """End the line that is being printed."""
        if self._last is not None:
            print(flush=True)
