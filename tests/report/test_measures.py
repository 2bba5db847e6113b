"""The scores that a report computes are those of the runs."""

import numpy as np
import pytest

from mocha_lightning.metrics import exact_match, rouge
from mocha_lightning.report.measures import measures_beside, scores_of

WORDS = ("the", "Running", "runs", "k1", "e299", "policies", "policy", "state-owned", "é", ".\n")


def texts(seed: int, number: int = 40) -> list[str]:
    generator = np.random.default_rng(seed)
    return [
        " ".join(generator.choice(WORDS, size=generator.integers(12))) for _ in range(number - 1)
    ] + ["the same"]


def test_they_are_those_of_the_metrics_to_the_last_bit() -> None:
    references, hypotheses = texts(0), texts(1)
    every = {**rouge(references, hypotheses), "exact_match": exact_match(references, hypotheses)}
    assert every["exact_match"] > 0
    assert scores_of(references, hypotheses, list(every)) == every
    # Once more, from memory; and of another order of the measures.
    assert scores_of(references, hypotheses, list(every)[::-1]) == every


def test_exact_match_can_stand_alone() -> None:
    assert scores_of(["a B", "c"], ["a  b", "d"], ["exact_match"]) == {"exact_match": 50.0}


def test_texts_that_do_not_pair_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        scores_of(["a", "b"], ["a"], ["rouge1"])


@pytest.mark.parametrize(
    ("metric", "more"),
    [
        ("test/exact_match", ()),
        ("test/rouge2_greedy", ()),
        ("test/rougeLsum", ()),
        ("test/rougeL_expected", ("rougeL",)),
        ("test/wer", ()),
    ],
)
def test_the_experiments_own_measure_is_among_them(metric: str, more: tuple[str, ...]) -> None:
    assert measures_beside(metric) == ("exact_match", "rouge1", "rouge2", "rougeLsum", *more)
