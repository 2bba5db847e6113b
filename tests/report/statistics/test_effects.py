"""Sizes of effects against their formulas, and power against simulated repetitions."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from mocha_lightning.report.statistics import (
    compare,
    compare_paired,
    compare_summaries,
    detectable_among,
)


def test_hedges_g_is_the_difference_in_pooled_deviations_less_the_bias() -> None:
    found = compare_summaries(15.0, 0.6, 8, 14.6, 0.3, 8)
    pooled = math.sqrt((0.6**2 + 0.3**2) / 2)
    bias = 1 - 3 / (4 * 14 - 1)  # Hedges' approximation
    assert found.hedges_g == pytest.approx(bias * 0.4 / pooled, rel=1e-3)
    low, high = found.hedges_g_interval
    variance = 2 / 8 + found.hedges_g**2 / (2 * 16)
    assert (high - low) / 2 == pytest.approx(1.96 * math.sqrt(variance), rel=0.02)
    assert (low + high) / 2 == pytest.approx(found.hedges_g)


def test_the_probability_is_the_share_of_pairs_with_ties_halved() -> None:
    a, b = [1.0, 2.0, 5.0], [2.0, 3.0, 4.0, 0.0]
    pairs = [(x > y) + 0.5 * (x == y) for x, y in itertools.product(a, b)]
    assert compare(a, b).probability_above == pytest.approx(np.mean(pairs))
    assert compare([2.0], [2.0]).probability_above == 0.5


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    sd, n = 0.7, 8
    distance = compare_summaries(1.0, sd, n, 0.0, sd, n).detectable
    generator = np.random.default_rng(0)
    a = generator.normal(distance, sd, size=(20_000, n))
    b = generator.normal(0, sd, size=(20_000, n))
    found = stats.ttest_ind(a, b, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.015)


def test_among_others_it_is_found_as_often_whatever_becomes_of_them() -> None:
    sd, n, tests = 0.7, 3, 5
    distance = detectable_among(compare_summaries(1.0, sd, n, 0.0, sd, n), tests)
    generator = np.random.default_rng(0)
    a = generator.normal(distance, sd, size=(20_000, n))
    b = generator.normal(0, sd, size=(20_000, n))
    found = stats.ttest_ind(a, b, axis=1).pvalue < 0.05 / tests
    assert found.mean() == pytest.approx(0.8, abs=0.015)
    assert detectable_among(compare([1.0], [2.0]), tests) is None


def test_of_pairs_it_is_that_of_their_differences() -> None:
    n = 6
    values = dict(enumerate(np.random.default_rng(1).normal(size=n).tolist()))
    found = compare_paired(values, dict.fromkeys(range(n), 0.5))
    generator = np.random.default_rng(2)
    drawn = generator.normal(found.detectable, found.sd, size=(20_000, n))
    assert (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(
        0.8, abs=0.015
    )


def test_where_nothing_varies_there_is_no_effect_to_measure() -> None:
    found = compare([0.1] * 3, [0.7] * 3)
    assert found.hedges_g is found.hedges_g_interval is found.detectable is None
    assert found.probability_above == 0


def test_where_nothing_varies_all_ways_to_share_the_runs_out_are_still_there() -> None:
    # Of 70, two put all that are equal on one side.
    assert compare([0.1] * 4, [0.7] * 4).permutation_p == pytest.approx(2 / 70)
    assert compare([0.1] * 4, [0.1] * 4).permutation_p == 1
