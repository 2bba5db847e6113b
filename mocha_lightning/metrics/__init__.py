"""Scores, each with a signature that says exactly what was computed."""

from mocha_lightning.metrics.intervals import (
    INTERVAL_SIGNATURE,
    Interval,
    mean_interval,
    ratio_interval,
)
from mocha_lightning.metrics.summaries import (
    EXACT_MATCH_SIGNATURE,
    ROUGE,
    ROUGE_SIGNATURE,
    exact_match,
    exact_matches,
    rouge,
    rouge_f1,
    without_rouge_words,
)
from mocha_lightning.metrics.word_errors import (
    WER_SIGNATURE,
    WordErrors,
    word_error_rate,
    word_errors,
)

__all__ = [
    "EXACT_MATCH_SIGNATURE",
    "INTERVAL_SIGNATURE",
    "ROUGE",
    "ROUGE_SIGNATURE",
    "WER_SIGNATURE",
    "Interval",
    "WordErrors",
    "exact_match",
    "exact_matches",
    "mean_interval",
    "ratio_interval",
    "rouge",
    "rouge_f1",
    "without_rouge_words",
    "word_error_rate",
    "word_errors",
]
