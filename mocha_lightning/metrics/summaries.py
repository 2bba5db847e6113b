"""ROUGE and exact match of summaries."""

import re
import warnings
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
from jaxtyping import Bool, Float
from nltk.stem.porter import PorterStemmer
from numpy import ndarray
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize
from rouge_score.tokenizers import Tokenizer

ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")
"""Words, pairs of words, longest common subsequence of the texts, and of their sentences."""
ROUGE_SIGNATURE = (
    "F1, mean of documents|case:lower|stemmer:porter|tokens:a-z0-9|sentences:lines|"
    f"rouge-score:{version('rouge-score')}"
)
EXACT_MATCH_SIGNATURE = "exact match|documents|case:lower|tokens:white space"


def rouge(references: Sequence[str], hypotheses: Sequence[str]) -> dict[str, float]:
    """F1 of each of :data:`ROUGE`, averaged over the documents, in per cent.

    Warns of texts that have no word for it (:func:`without_rouge_words`).

    Args:
        references: true summaries, a sentence a line.
        hypotheses: what was made, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    if lost := without_rouge_words(references):
        warnings.warn(
            f"ROUGE takes a-z and 0-9 for words alone: {lost} of {len(references)} references "
            "have none, and score 0",
            stacklevel=2,
        )
    # Summed one after the other, so that the last bit stays as it was in results of any age.
    return {
        name: 100 * sum(scores.tolist()) / len(scores)
        for name, scores in rouge_f1(references, hypotheses).items()
    }


def rouge_f1(
    references: Sequence[str], hypotheses: Sequence[str], names: Sequence[str] = ROUGE
) -> dict[str, Float[ndarray, " documents"]]:
    """F1 for each document, from 0 to 1.

    What many calls have in common (words, references, summaries without a mistake) is looked at
    once: the scores of an experiment's runs would else take minutes.

    Args:
        references: true summaries, a sentence a line.
        hypotheses: what was made, in the same order.
        names: which of :data:`ROUGE`.

    Raises:
        ValueError: the two differ in length.
    """
    wanted = tuple(names)
    scores = [_f_measures(wanted, *pair) for pair in zip(references, hypotheses, strict=True)]
    return {name: np.array([each[at] for each in scores], float) for at, name in enumerate(wanted)}


@lru_cache(maxsize=2**15)
def _f_measures(names: tuple[str, ...], reference: str, hypothesis: str) -> tuple[float, ...]:
    found = _scorer(names).score(reference, hypothesis)
    return tuple(found[name].fmeasure for name in names)


@cache
def _scorer(names: tuple[str, ...]) -> RougeScorer:
    stemmer = SimpleNamespace(stem=cache(PorterStemmer().stem))

    class Remembering(Tokenizer):  # type: ignore[misc]
        """The default tokenizer with a memory."""

        tokenize = staticmethod(lru_cache(maxsize=2**14)(lambda text: tokenize(text, stemmer)))

    return RougeScorer(list(names), tokenizer=Remembering())


def without_rouge_words(texts: Iterable[str]) -> int:
    """How many texts have letters or figures and none that rouge-score's tokeniser keeps.

    It keeps a-z and 0-9 alone, so a text in another script scores 0, whatever it is compared with.
    """
    return sum(
        any(map(str.isalnum, text)) and not re.search("[a-z0-9]", text.lower()) for text in texts
    )


def exact_match(references: Sequence[str], hypotheses: Sequence[str]) -> float:
    """Share of hypotheses that have the words of their reference, case aside, in per cent.

    Args:
        references: true texts, words separated by white space.
        hypotheses: what was made, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    same = exact_matches(references, hypotheses)
    return 100 * int(same.sum()) / len(same)


def exact_matches(
    references: Sequence[str], hypotheses: Sequence[str]
) -> Bool[ndarray, " documents"]:
    """Which hypotheses have the words of their reference, case aside.

    Raises:
        ValueError: the two differ in length.
    """
    pairs = zip(references, hypotheses, strict=True)
    return np.array([one.lower().split() == other.lower().split() for one, other in pairs], bool)
