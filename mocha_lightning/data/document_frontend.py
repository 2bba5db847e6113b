"""What turns a text into a summariser's input and its outputs into text, kept in checkpoints."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mocha_lightning.data.kept import reading_kept
from mocha_lightning.data.tokenizing import SpaceTokenizer, Tokenizer, TreebankTokenizer
from mocha_lightning.data.word_vocabulary import WordVocabulary
from mocha_lightning.errors import UserError

FORMAT = 1
"""Raised whenever what is kept changes."""
TOKENIZERS: dict[str, type[Tokenizer]] = {
    each.__name__: each for each in (SpaceTokenizer, TreebankTokenizer)
}


@dataclass(frozen=True)
class DocumentFrontend:
    """All that a summariser needs beside weights, so that a run is used without its corpus.

    Attributes:
        tokenizer: cuts documents into words, by the name of its class.
        tokenized_by: its library and version when the corpus was prepared.
        source_words: a document's first words, which are read.
        vocabulary: the known words.
        sha256: of the corpus.
    """

    tokenizer: str
    tokenized_by: str
    source_words: int
    vocabulary: WordVocabulary
    sha256: str

    def state_dict(self) -> dict[str, Any]:
        """It as plain values."""
        return {
            "format": FORMAT,
            "tokenizer": self.tokenizer,
            "tokenized_by": self.tokenized_by,
            "source_words": self.source_words,
            "words": list(self.vocabulary.words),
            "sha256": self.sha256,
        }

    @classmethod
    def of_state_dict(cls, state: dict[str, Any]) -> "DocumentFrontend":
        """Read what :meth:`state_dict` gives.

        Raises:
            UserError: it is of another version, or not what that gives.
        """
        with reading_kept(state, FORMAT):
            words, count = tuple(state["words"]), int(state["source_words"])
            if not all(isinstance(word, str) for word in words):
                raise TypeError("a word is no text")
            if count < 1:
                raise ValueError(f"{count} words of a document")
            kept = (str(state[name]) for name in ("tokenizer", "tokenized_by", "sha256"))
            tokenizer, tokenized_by, sha256 = kept
            return cls(tokenizer, tokenized_by, count, WordVocabulary(words), sha256)

    def build_tokenizer(self) -> Tokenizer:
        """What cuts documents as the corpus did.

        Raises:
            UserError: its class is none of the package's.
        """
        if self.tokenizer not in TOKENIZERS:
            known = " and ".join(TOKENIZERS)
            raise UserError(
                f"its corpus was cut into words by {self.tokenizer}, and only {known} are known: "
                "train on a corpus that is cut by one of these"
            )
        return TOKENIZERS[self.tokenizer]()

    def check_same(self, here: "DocumentFrontend") -> None:
        """Check that the corpus at hand is the one that this was made of.

        Raises:
            UserError: it is another.
        """
        for what, before, now in (
            ("data SHA-256", self.sha256, here.sha256),
            ("vocabulary", _brief(self.vocabulary.words), _brief(here.vocabulary.words)),
        ):
            if before != now:
                raise UserError(
                    f"the checkpoint is of another corpus: its {what} is {before}, and here it is "
                    f"{now}: bring that corpus back or begin the run anew"
                )


def words_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """The words of a text, one sentence after the other."""
    return [word for sentence in tokenizer.sentences(text) for word in sentence]


def _brief(words: Iterable[str]) -> str:
    listed = tuple(words)
    return f"{len(listed)} words, {' '.join(listed[:5])} ..."
