"""Scores, each with a signature that says exactly what was computed."""

from collections.abc import Sequence
from importlib.metadata import version

import jiwer
from rouge_score.rouge_scorer import RougeScorer

WER_SIGNATURE = f"wer|corpus|case:kept|tokens:spaces|jiwer:{version('jiwer')}"
"""Corpus level: word edits of all utterances over words of all references."""

ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")
"""Words, pairs of words, longest common subsequence of the texts, and of their sentences."""
ROUGE_SIGNATURE = (
    "F1, mean of documents|case:lower|stemmer:porter|tokens:a-z0-9|sentences:lines|"
    f"rouge-score:{version('rouge-score')}"
)
EXACT_MATCH_SIGNATURE = "exact match|documents|case:lower|tokens:white space"


def word_error_rate(references: Sequence[str], hypotheses: Sequence[str]) -> float:
    """Word error rate of a corpus, in per cent; an empty hypothesis counts as deletions.

    Args:
        references: true transcripts, words separated by spaces.
        hypotheses: what was recognised, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    return 100 * float(jiwer.wer(list(references), list(hypotheses)))


def rouge(references: Sequence[str], hypotheses: Sequence[str]) -> dict[str, float]:
    """F1 of each of :data:`ROUGE`, averaged over the documents, in per cent.

    Args:
        references: true summaries, a sentence a line.
        hypotheses: what was made, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    scorer = RougeScorer(ROUGE, use_stemmer=True)
    scores = [scorer.score(*pair) for pair in zip(references, hypotheses, strict=True)]
    return {
        name: 100 * sum(score[name].fmeasure for score in scores) / len(scores) for name in ROUGE
    }


def exact_match(references: Sequence[str], hypotheses: Sequence[str]) -> float:
    """Share of hypotheses that have the words of their reference, case aside, in per cent.

    Args:
        references: true texts, words separated by white space.
        hypotheses: what was made, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    pairs = zip(references, hypotheses, strict=True)
    same = [one.lower().split() == other.lower().split() for one, other in pairs]
    return 100 * sum(same) / len(same)
