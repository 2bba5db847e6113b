"""Scores of systems over the same references, each with its interval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

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
    """A score and its interval, in per cent."""

    value: float
    interval: Interval

    @classmethod
    def of_share(cls, value: float, interval: Interval) -> "Score":
        """Of a value in per cent and an interval of shares."""
        return cls(value, Interval(*(100 * bound for bound in interval)))


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
        name: Score.of_share(100 * sum(values.tolist()) / len(values), mean_interval(values))
        for name, values in rouge_f1(references, hypotheses).items()
    }


def _wer(references: Sequence[str], hypotheses: Sequence[str]) -> Scores:
    interval = ratio_interval(*word_errors(references, hypotheses))
    return {"wer": Score.of_share(word_error_rate(references, hypotheses), interval)}


def _exact_match(references: Sequence[str], hypotheses: Sequence[str]) -> Scores:
    interval = mean_interval(exact_matches(references, hypotheses))
    return {"exact_match": Score.of_share(exact_match(references, hypotheses), interval)}


_MEASURES: dict[Metric, Callable[[Sequence[str], Sequence[str]], Scores]] = {
    "rouge": _rouge,
    "wer": _wer,
    "exact_match": _exact_match,
}
