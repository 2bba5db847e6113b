"""Scores of systems over the same references, each with its interval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Num
from numpy import ndarray

from mocha_lightning.evaluation.sentences import by_punkt
from mocha_lightning.metrics import (
    EXACT_MATCH_SIGNATURE,
    ROUGE,
    ROUGE_SIGNATURE,
    WER_SIGNATURE,
    Interval,
    exact_match,
    exact_matches,
    mean_interval,
    ratio_interval,
    rouge_f1,
    word_error_rate,
    word_errors,
)

Metric = Literal["rouge", "wer", "exact_match"]

SIGNATURES = {
    **{name: f"{name}|{ROUGE_SIGNATURE}" for name in ROUGE},
    "exact_match": EXACT_MATCH_SIGNATURE,
    "wer": WER_SIGNATURE,
}


@dataclass(frozen=True)
class Score:
    """A score in per cent, and the texts' shares in it.

    Attributes:
        value: 100 times the sum of what is counted by the sum of the sizes.
        interval: over texts drawn again.
        counted: of each text: its word edits, its ROUGE, whether it is exact.
        sizes: of each text: its words, or 1 for a mean over texts.
    """

    value: float
    interval: Interval
    counted: Num[ndarray, " texts"]
    sizes: Num[ndarray, " texts"]

    @classmethod
    def mean(cls, value: float, shares: Num[ndarray, " texts"]) -> "Score":
        """Of a mean over texts, each of which has a share in [0, 1]."""
        return cls(value, _in_per_cent(mean_interval(shares)), shares, np.ones(len(shares)))


Scores = dict[str, Score]


def score(
    metrics: Sequence[Metric],
    references: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    punkt: bool = False,
) -> dict[str, Scores]:
    """Score systems by each of some metrics (ROUGE gives four scores).

    Args:
        metrics: by which.
        references: the true texts.
        systems: by name, what was made, in the same order.
        punkt: whether ROUGE takes Punkt's sentences in place of lines.

    Returns:
        By system, the score of each name.
    """
    found: dict[str, Scores] = {name: {} for name in systems}
    for metric in metrics:
        prepared = by_punkt if punkt and metric == "rouge" else list
        true_texts = prepared(references)
        for name, hypotheses in systems.items():
            found[name] |= _MEASURES[metric](true_texts, prepared(hypotheses))
    return found


def _rouge(references: Sequence[str], hypotheses: Sequence[str]) -> Scores:
    return {
        name: Score.mean(100 * sum(values.tolist()) / len(values), values)
        for name, values in rouge_f1(references, hypotheses).items()
    }


def _wer(references: Sequence[str], hypotheses: Sequence[str]) -> Scores:
    errors = word_errors(references, hypotheses)
    interval = _in_per_cent(ratio_interval(*errors))
    return {"wer": Score(word_error_rate(references, hypotheses), interval, *errors)}


def _exact_match(references: Sequence[str], hypotheses: Sequence[str]) -> Scores:
    matches = exact_matches(references, hypotheses)
    return {"exact_match": Score.mean(exact_match(references, hypotheses), matches)}


def _in_per_cent(interval: Interval) -> Interval:
    return Interval(*(100 * bound for bound in interval))


_MEASURES: dict[Metric, Callable[[Sequence[str], Sequence[str]], Scores]] = {
    "rouge": _rouge,
    "wer": _wer,
    "exact_match": _exact_match,
}
