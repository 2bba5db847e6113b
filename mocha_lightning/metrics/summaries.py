"""ROUGE and exact match of summaries."""

import re
import warnings
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray
from rouge_score.rouge_scorer import RougeScorer

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
    references: Sequence[str], hypotheses: Sequence[str]
) -> dict[str, Float[ndarray, " documents"]]:
    """F1 of each of :data:`ROUGE` for each document, from 0 to 1.

    Raises:
        ValueError: the two differ in length.
    """
    scorer = RougeScorer(ROUGE, use_stemmer=True)
    scores = [scorer.score(*pair) for pair in zip(references, hypotheses, strict=True)]
    return {name: np.array([score[name].fmeasure for score in scores], float) for name in ROUGE}


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
