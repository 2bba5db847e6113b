"""From texts to words and sentences, without data files or network.

See et al. (2017) used the tokens of Stanford's PTBTokenizer, made lower-case. NLTK's
``NLTKWordTokenizer`` follows the same conventions of the Penn Treebank (``do n't``, ``-lrb-``, two
quotes for each quotation mark), is in every installation since rouge-score needs NLTK, and needs no
data of its own. It takes one sentence at a time, so sentences are found first, by NLTK's Punkt with
the abbreviations below instead of a trained list. The two tokenizers differ in rare cases (hyphens,
currencies, fractions), so that scores are close to those on Stanford's tokens and not the same.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

ABBREVIATIONS = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "gov", "sen", "rep", "gen", "col"),
        *("lt", "sgt", "capt", "rev", "hon", "inc", "co", "corp", "ltd", "bros", "vs", "etc"),
        *("approx", "dept", "est", "fig", "vol", "e.g", "i.e", "cf", "a.m", "p.m", "u.s", "u.k"),
        *("u.n", "d.c", "jan", "feb", "apr", "jun", "jul", "aug", "sept", "oct", "nov", "dec"),
    )
)
"""Words whose full stop ends no sentence, without that stop."""
QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
"""Typographic quotation marks and apostrophes as ASCII, as Stanford's tokenizer takes them."""
STOPS = frozenset({".", "!", "?"})
CLOSERS = frozenset({"''", ")", "-rrb-", "]", "-rsb-"})
ENDS = STOPS | CLOSERS | {"...", "'", "`", '"', "``"}
"""A line of a summary that ends with one of these needs no full stop (See et al.'s list)."""
ACRONYM_AT_THE_END = re.compile(r"\b[A-Za-z]\.[A-Za-z]\.$")
"""Its last two letters tell; a pattern of any length would begin anew at each letter of a text."""


class Tokenizer(ABC):
    """Cuts a text into sentences, and these into words in lower case."""

    name: ClassVar[str]
    """Names it, its library and version: part of a corpus's identity."""
    packages: ClassVar[tuple[str, ...]] = ()
    """The package of its library, by the name that pip knows."""

    @abstractmethod
    def sentences(self, text: str) -> list[list[str]]:
        """The words of each sentence; line ends end sentences. Words hold no white space."""


@dataclass(frozen=True)
class TreebankTokenizer(Tokenizer):
    """Running text: Punkt's sentences, Penn Treebank's words."""

    name: ClassVar[str] = f"nltk {version('nltk')}: Punkt, NLTKWordTokenizer; lower case"
    packages: ClassVar[tuple[str, ...]] = ("nltk",)

    def sentences(self, text: str) -> list[list[str]]:
        """The words of each sentence."""
        return [words for each in self.split(text) if (words := self._words(each))]

    def split(self, text: str) -> list[str]:
        """The sentences of a text as they are written."""
        return [each for line in text.splitlines() for each in _nltk()[0].tokenize(line)]

    def _words(self, sentence: str) -> list[str]:
        sentence = sentence.translate(QUOTES).rstrip()
        if ACRONYM_AT_THE_END.search(sentence):
            # Stanford's way: the stop of "the U.S." is the acronym's, and the sentence has its own.
            sentence += " ."
        return [word.lower() for word in _nltk()[1].tokenize(sentence, convert_parentheses=True)]


@dataclass(frozen=True)
class SpaceTokenizer(Tokenizer):
    """Text that is tokenised already: words lie between white space, a stop ends a sentence."""

    name: ClassVar[str] = "white space; lower case"

    def sentences(self, text: str) -> list[list[str]]:
        """The words of each sentence."""
        return [
            sentence
            for line in text.splitlines()
            for sentence in sentences_of(line.lower().split())
        ]


def sentences_of(words: Iterable[str]) -> list[list[str]]:
    """Cut words into sentences: after a stop, with closing quotes and brackets that follow it.

    This is how the words that a model gives out become the lines that ROUGE-Lsum compares.
    """
    sentences: list[list[str]] = []
    stopped = False
    for word in words:
        closes = word in CLOSERS
        if not sentences or (stopped and not closes):
            sentences.append([])
        sentences[-1].append(word)
        stopped = word in STOPS or (stopped and closes)
    return sentences


def with_full_stop(words: Sequence[str]) -> list[str]:
    """The words of a line of highlights, which may lack its full stop (See et al.'s repair)."""
    return [*words] if not words or words[-1] in ENDS else [*words, "."]


@cache
def _nltk() -> tuple["PunktSentenceTokenizer", "NLTKWordTokenizer"]:
    # Half a second to import, and needed only where texts are prepared.
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(parameters), NLTKWordTokenizer()
