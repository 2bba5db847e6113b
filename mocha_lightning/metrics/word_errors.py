"""The word error rate of speech."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

import jiwer
import numpy as np
from jaxtyping import Int
from numpy import ndarray

WER_SIGNATURE = f"wer|corpus|case:kept|tokens:spaces|jiwer:{version('jiwer')}"
"""Corpus level: word edits of all utterances over words of all references."""


class WordErrors(NamedTuple):
    """What the word error rate is the ratio of, for each utterance.

    Attributes:
        edits: words substituted, left out or put in.
        words: of the reference.
    """

    edits: Int[ndarray, " utterances"]
    words: Int[ndarray, " utterances"]


def word_error_rate(references: Sequence[str], hypotheses: Sequence[str]) -> float:
    """Word error rate of a corpus, in per cent; an empty hypothesis counts as deletions.

    Args:
        references: true transcripts, words separated by spaces.
        hypotheses: what was recognised, in the same order.

    Raises:
        ValueError: the two differ in length.
    """
    return 100 * float(jiwer.wer(list(references), list(hypotheses)))


def word_errors(references: Sequence[str], hypotheses: Sequence[str]) -> WordErrors:
    """The same utterance by utterance: the rate is 100 times all edits over all words.

    Raises:
        ValueError: the two differ in length.
    """
    rows = []
    for pair in zip(references, hypotheses, strict=True):
        found = jiwer.process_words(*pair)
        wrong = found.substitutions + found.deletions
        rows.append((wrong + found.insertions, found.hits + wrong))
    counts = np.array(rows, int).reshape(-1, 2)
    return WordErrors(counts[:, 0], counts[:, 1])
