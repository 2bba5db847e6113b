"""The scores of texts that a report computes itself, as `mocha_lightning.metrics` defines them."""

from collections.abc import Sequence

EXACT_MATCH = "exact_match"
NAMES = {
    EXACT_MATCH: "exact match",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "rougeLsum": "ROUGE-Lsum",
}
"""What a table calls each."""
USUAL = (EXACT_MATCH, "rouge1", "rouge2", "rougeLsum")


def measures_beside(metric: str) -> tuple[str, ...]:
    """The measures that a report gives, among them that of an experiment's metric."""
    measure = metric.rpartition("/")[2].removesuffix("_expected").removesuffix("_greedy")
    return USUAL if measure in USUAL or measure not in NAMES else (*USUAL, measure)


def scores_of(
    references: Sequence[str], hypotheses: Sequence[str], measures: Sequence[str]
) -> dict[str, float]:
    """The mean of each measure over the examples, in per cent.

    ROUGE is that of :func:`mocha_lightning.metrics.rouge` to the last bit, of the measures that are
    wanted alone.
    """
    # Half a second to import, and needed only where there are documents.
    from mocha_lightning.metrics import exact_match, rouge_f1

    wanted = [measure for measure in measures if measure != EXACT_MATCH]
    found = rouge_f1(references, hypotheses, wanted) if wanted else {}
    scores = {measure: 100 * sum(each.tolist()) / len(each) for measure, each in found.items()}
    if EXACT_MATCH in measures:
        scores[EXACT_MATCH] = exact_match(references, hypotheses)
    return {measure: scores[measure] for measure in measures}
