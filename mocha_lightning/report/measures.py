"""The scores of texts that a report computes itself, as `mocha_lightning.metrics` defines them."""

from collections.abc import Sequence
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

EXACT_MATCH = "exact_match"
NAMES = {
    EXACT_MATCH: "exact match",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "rougeLsum": "ROUGE-Lsum",
}
"""What a table calls each."""
USUAL = (EXACT_MATCH, "rouge1", "rouge2")


def measures_beside(metric: str) -> tuple[str, ...]:
    """The measures that a report gives, among them that of an experiment's metric."""
    measure = metric.rpartition("/")[2].removesuffix("_expected").removesuffix("_greedy")
    return USUAL if measure in USUAL or measure not in NAMES else (*USUAL, measure)


def scores_of(
    references: Sequence[str], hypotheses: Sequence[str], measures: Sequence[str]
) -> dict[str, float]:
    """The mean of each measure over the examples, in per cent.

    ROUGE is that of :func:`mocha_lightning.metrics.rouge` to the last bit. Not all of its measures
    are wanted here, and what many runs have in common (words, references, summaries without a
    mistake) is looked at once: else the scores of an experiment would take minutes.
    """
    # Half a second to import, and needed only where there are documents.
    from mocha_lightning.metrics import exact_match

    wanted = tuple(measure for measure in measures if measure != EXACT_MATCH)
    found = [
        _f_measures(wanted, *pair) for pair in zip(references, hypotheses, strict=True) if wanted
    ]
    scores = {
        measure: 100 * sum(each) / len(each)
        for measure, each in zip(wanted, zip(*found, strict=True), strict=True)
    }
    if EXACT_MATCH in measures:
        scores[EXACT_MATCH] = exact_match(references, hypotheses)
    return {measure: scores[measure] for measure in measures}


@lru_cache(maxsize=2**15)
def _f_measures(measures: tuple[str, ...], reference: str, hypothesis: str) -> tuple[float, ...]:
    found = _scorer(measures).score(reference, hypothesis)
    return tuple(found[measure].fmeasure for measure in measures)


@cache
def _scorer(measures: tuple[str, ...]) -> "RougeScorer":
    from nltk.stem.porter import PorterStemmer
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenize import tokenize
    from rouge_score.tokenizers import Tokenizer

    stemmer = SimpleNamespace(stem=cache(PorterStemmer().stem))

    class Remembering(Tokenizer):  # type: ignore[misc]
        """The default tokenizer with a memory."""

        tokenize = staticmethod(lru_cache(maxsize=2**14)(lambda text: tokenize(text, stemmer)))

    return RougeScorer(list(measures), tokenizer=Remembering())
