"""Runs that pair by their seed."""

import math

import numpy as np
import pytest
from scipy import stats

from mocha_lightning.report.statistics import compare_paired


@pytest.mark.parametrize("n", [2, 3, 8])
def test_agrees_with_scipy_to_1e_12(n: int) -> None:
    generator = np.random.default_rng(n)
    a, b = generator.normal(3, 1, n), generator.normal(2.5, 2, n)
    expected = stats.ttest_rel(a, b)
    found = compare_paired(dict(enumerate(a)), dict(enumerate(b)))
    assert found.n == n
    assert found.t == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)), rel=1e-12)
    assert found.difference == pytest.approx(np.mean(a - b))
    assert found.correlation == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.significant == (expected.pvalue < 0.05)


def test_seeds_pair_whatever_their_order_and_those_of_one_alone_are_left_out() -> None:
    a, b = {0: 1.0, 1: 2.0, 2: 4.0, 9: 99.0}, {2: 3.0, 0: 1.5, 1: 1.0}
    found = compare_paired(a, b)
    assert found.n == 3
    assert found.difference == pytest.approx((-0.5 + 1 + 1) / 3)
    with pytest.raises(ValueError, match="one value for each run"):
        compare_paired({0: 1.0}, {1: 1.0})


def test_pairing_finds_what_the_variation_between_seeds_hides() -> None:
    a = {seed: 10.0 * seed for seed in range(5)}
    b = {seed: value + 1 + 0.1 * (seed % 2) for seed, value in a.items()}
    found = compare_paired(a, b)
    assert found.significant
    assert found.correlation == pytest.approx(1, abs=1e-4)


def test_no_test_with_one_pair_or_differences_that_are_all_equal() -> None:
    one = compare_paired({0: 1.0}, {0: 3.0})
    assert (one.n, one.difference, one.sd) == (1, -2, None)
    assert one.p is one.interval is one.permutation_p is one.significant is None
    equal = compare_paired({0: 1.0, 1: 2.0}, {0: 1.0, 1: 2.0})
    assert (equal.difference, equal.sd, equal.p) == (0, 0, None)
    shifted = compare_paired({0: 0.1, 1: 0.3, 2: 0.7}, {0: 1.1, 1: 1.3, 2: 1.7})
    assert (shifted.sd, shifted.p) == (0, None)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_run_that_diverged_is_refused_and_never_dropped(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        compare_paired({0: 1.0, 1: bad}, {0: 1.0, 1: 2.0})
