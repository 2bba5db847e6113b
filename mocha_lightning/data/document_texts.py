"""Documents with their summaries as they are found, and what cannot be used of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from mocha_lightning.data.tokenizing import Tokenizer, with_full_stop
from mocha_lightning.errors import UserError


@dataclass(frozen=True)
class Text:
    """One document and its summary.

    Args:
        id: its name, unique in its split.
        split: train, validation or test.
        document: the text to be summarised; None where it is missing.
        summary: the reference; None where it is missing.
        place: where it stands (file and line), for messages.
        details: whatever else the corpus knows, as JSON.
        problem: why it could not be read, where that is so.
    """

    id: str
    split: str
    document: str | None
    summary: str | None
    place: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.id} ({self.place})" if self.place else self.id


@dataclass(frozen=True)
class TokenizedText:
    """A text as it is kept: sentences end with line ends, words are parted by one space."""

    id: str
    split: str
    document: str
    summary: str
    details: dict[str, Any]


class Reason(StrEnum):
    """Why a document cannot be used."""

    UNREADABLE = "cannot be read"
    NOT_UTF8 = "not UTF-8"
    NO_DOCUMENT = "no document"
    NO_SUMMARY = "no summary"
    EMPTY_DOCUMENT = "empty document"
    EMPTY_SUMMARY = "empty summary"
    TOO_LONG = "too long"


@dataclass(frozen=True)
class LeftOut:
    """A document that cannot be used.

    Args:
        document: its id, and where it stands.
        split: the one that lacks it.
        reason: why.
        found: what exactly was found.
    """

    document: str
    split: str
    reason: Reason
    found: str

    def __str__(self) -> str:
        return f"{self.document}: {self.reason}: {self.found}"


@dataclass(frozen=True)
class DocumentLimits:
    """Which documents are used.

    Args:
        max_document_words: longer ones are left out, and counted; None for no limit.
        on_unusable: whether a document that cannot be used for another reason stops the
            preparation ("stop") or is left out and counted ("drop").

    Raises:
        UserError: a number is out of range.
    """

    max_document_words: int | None
    on_unusable: Literal["stop", "drop"]

    def __post_init__(self) -> None:
        if self.max_document_words is not None and self.max_document_words < 1:
            raise UserError(
                f"data.max_document_words is {self.max_document_words}: it must be at least 1"
            )

    @property
    def droppable(self) -> frozenset[Reason]:
        """Reasons for which a document is left out without stopping."""
        return frozenset(Reason if self.on_unusable == "drop" else {Reason.TOO_LONG})


@dataclass(frozen=True)
class Reading:
    """How texts become what is kept of them.

    Args:
        tokenizer: of documents and summaries.
        highlights: whether each line of a summary is kept as one sentence and given the full stop
            that it may lack, as See et al. (2017) treat the highlights of CNN/Daily Mail.
        limits: which documents are used.
    """

    tokenizer: Tokenizer
    highlights: bool
    limits: DocumentLimits

    def __call__(self, text: Text) -> TokenizedText | LeftOut:
        """The text in words, or why it cannot be used."""

        def left_out(reason: Reason, found: str) -> LeftOut:
            return LeftOut(_printable(str(text)), text.split, reason, _printable(found))

        if text.problem:
            return left_out(Reason.UNREADABLE, text.problem)
        if text.document is None:
            return left_out(Reason.NO_DOCUMENT, "there is none")
        if text.summary is None:
            return left_out(Reason.NO_SUMMARY, "there is none")
        for name, value in (
            ("id", text.id),
            ("document", text.document),
            ("summary", text.summary),
        ):
            place = _broken(value)
            if place is not None:
                before = value[max(0, place - 20) : place]
                what = "a byte" if "\udc80" <= value[place] <= "\udcff" else "half a character"
                found = f"its {name} has {what} that is no UTF-8, after {before!r}"
                return left_out(Reason.NOT_UTF8, found)
        document = self.tokenizer.sentences(text.document)
        count = sum(map(len, document))
        limit = self.limits.max_document_words
        if count == 0:
            return left_out(Reason.EMPTY_DOCUMENT, "there is no word in it")
        if limit is not None and count > limit:
            return left_out(Reason.TOO_LONG, f"{count:,} words, more than {limit:,}")
        summary = self._summary(text.summary)
        if not summary:
            return left_out(Reason.EMPTY_SUMMARY, "there is no word in it")
        return TokenizedText(text.id, text.split, _joined(document), _joined(summary), text.details)

    def _summary(self, text: str) -> list[list[str]]:
        if not self.highlights:
            return self.tokenizer.sentences(text)
        lines = (
            [word for sentence in self.tokenizer.sentences(line) for word in sentence]
            for line in text.splitlines()
        )
        return [with_full_stop(line) for line in lines if line]


def read_texts(reading: Reading, texts: Sequence[Text]) -> list[TokenizedText | LeftOut]:
    """What is kept of each text, or why it cannot be used."""
    return [reading(text) for text in texts]


def _broken(text: str) -> int | None:
    """The first place of a text that UTF-8 cannot express: what an undecodable byte was read as."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _joined(sentences: Sequence[Sequence[str]]) -> str:
    return "\n".join(" ".join(words) for words in sentences)
