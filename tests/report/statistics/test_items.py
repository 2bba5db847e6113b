"""Two models on the same test items."""

import numpy as np
import pytest
from scipy import stats

from mocha_lightning.report.statistics import compare_items


def errors(items: int, seed: int = 0) -> tuple[list[float], list[float], list[float]]:
    generator = np.random.default_rng(seed)
    words = generator.integers(1, 9, items)
    a = generator.binomial(words, 0.2)
    b = generator.binomial(words, 0.3)
    return a.tolist(), b.tolist(), words.tolist()


def test_scores_are_of_the_corpus_not_means_of_the_items() -> None:
    found = compare_items([1, 0], [2, 2], [10, 2])
    assert found.score_a == pytest.approx(1 / 12)
    assert found.score_b == pytest.approx(4 / 12)
    assert found.difference == pytest.approx(-3 / 12)
    assert found.n == 2


def test_the_interval_is_near_that_of_the_normal_approximation() -> None:
    a, b, words = map(np.array, errors(2000))
    found = compare_items(a, b, words)
    # The delta method for a ratio of sums.
    apart = a - b - (found.difference * words)
    error = apart.std(ddof=1) / (words.mean() * np.sqrt(len(words)))
    low, high = stats.norm.interval(0.95, found.difference, error)
    assert found.interval == pytest.approx((low, high), abs=0.1 * error)
    assert found.p < 0.01


def test_items_of_equal_size_are_a_mean_s_bootstrap() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=(2, 300))
    found = compare_items(a, b, np.ones(300))
    expected = stats.ttest_rel(a, b)
    assert found.p == pytest.approx(expected.pvalue, abs=0.03)


def test_what_is_found_by_chance_alone_is_found_no_more_often_than_that() -> None:
    generator = np.random.default_rng(4)
    found = [
        compare_items(*generator.poisson(1, size=(2, 100)), np.ones(100)).p for _ in range(100)
    ]
    assert 0 < np.mean(np.array(found) < 0.1) < 0.2


def test_a_seed_gives_the_same_numbers_again() -> None:
    assert compare_items(*errors(50)) == compare_items(*errors(50))
    assert compare_items(*errors(50), seed=1).interval != compare_items(*errors(50)).interval


def test_one_item_or_equal_scores_everywhere_are_no_test() -> None:
    assert compare_items([1], [0], [4]).interval is None
    same = compare_items([1, 2], [1, 2], [3, 3])
    assert (same.difference, same.interval, same.p) == (0, None, None)


@pytest.mark.parametrize(
    ("a", "b", "sizes", "said"),
    [
        ([1, 2], [1], [1, 1], "2, 1 and 2"),
        ([1], [1], [0], "sum to 0"),
        ([1, 1], [1, 2], [3, -1], "negative"),
        ([float("nan")], [1], [1], "finite"),
        ([], [], [], "one value"),
    ],
)
def test_figures_that_do_not_fit_are_refused(a: list, b: list, sizes: list, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compare_items(a, b, sizes)
