"""Scores, each with a signature that says exactly what was computed."""

from collections.abc import Sequence
from importlib.metadata import version

import jiwer

WER_SIGNATURE = f"wer|corpus|case:kept|tokens:spaces|jiwer:{version('jiwer')}"
"""Corpus level: word edits of all utterances over words of all references."""


def word_error_rate(references: Sequence[str], hypotheses: Sequence[str]) -> float:
    """Word error rate of a corpus, in per cent; an empty hypothesis counts as deletions.

    Args:
        references: true transcripts, words separated by spaces.
        hypotheses: what was recognised, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    return 100 * float(jiwer.wer(list(references), list(hypotheses)))
