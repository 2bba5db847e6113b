"""Texts of one family once, and a split that only the family's name decides."""

import hashlib
import re
from collections.abc import Iterable, Iterator

from mocha_lightning.data.document_texts import Text

FAMILY_WORDS = 25
"""Documents that begin with the same words, so many, are variants of one text."""
WORD = re.compile(r"[^\W_]+")


def split_of(name: str) -> str:
    """A tenth of all names is validation, another test, the rest training; the name decides."""
    number = hashlib.sha256(name.encode()).digest()[0] % 10
    return {0: "test", 1: "validation"}.get(number, "train")


def deduplicated(texts: Iterable[Text], min_words: int) -> Iterator[Text]:
    """The texts without those whose document or summary another has, too; test texts come first.

    Of a family of documents the first stays, and of documents of one summary likewise, so that
    nothing that is tested was there in training.

    Args:
        texts: all.
        min_words: documents of fewer words are left out: there is nothing to summarise.
    """
    order = {"test": 0, "validation": 1, "train": 2}
    seen: set[tuple[str, ...]] = set()
    for text in sorted(texts, key=lambda text: order[text.split]):
        words = _words(text.document or "")
        keys = {("document", *words[:FAMILY_WORDS]), ("summary", *_words(text.summary or ""))}
        if len(words) >= min_words and not keys & seen:
            seen |= keys
            yield text


def _words(text: str) -> list[str]:
    """Words in lower case without punctuation."""
    return WORD.findall(text.lower())
