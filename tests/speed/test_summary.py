"""Means, speed-ups and exponents."""

from statistics import stdev

import numpy as np
import pytest

from mocha_lightning.speed.summary import row_of, summarise

from .report_example import LENGTHS, report, timed


def test_a_point_is_the_mean_its_deviation_and_the_ratio_of_means() -> None:
    soft, monotonic = row_of(timed("projected", 200)).points
    assert (soft.mechanism, monotonic.mechanism) == ("soft", "monotonic")
    assert soft.mean == pytest.approx(40)
    assert soft.sd == pytest.approx(stdev([36, 44]))
    assert (soft.speed_up, monotonic.speed_up) == (1, pytest.approx(20))


def test_one_trial_has_no_deviation() -> None:
    once = timed("projected", 10)
    for trials in once.milliseconds.values():
        trials.pop()
    assert [point.sd for point in row_of(once).points] == [None, None]


def test_exponents_of_powers_are_those_for_the_papers_lengths_and_beyond() -> None:
    for variant in report().variants:
        soft, longer_soft, monotonic, _ = variant.exponents
        assert soft.lengths == (10, 20, 50, 100)
        assert longer_soft.lengths == (100, 200, 400)
        assert (soft.mechanism, monotonic.mechanism) == ("soft", "monotonic")
        assert (soft.value, longer_soft.value) == (pytest.approx(2), pytest.approx(2))
        assert monotonic.value == pytest.approx(1)
        assert soft.standard_error == pytest.approx(0, abs=1e-6)


def test_the_standard_error_is_that_of_least_squares() -> None:
    trials = [timed("projected", length) for length in (10, 20, 50)]
    trials[1].milliseconds["soft"] = [0.8]
    x, y = np.log([10, 20, 50]), np.log([0.1, 0.8, 2.5])
    slope, intercept = np.polyfit(x, y, 1)
    residuals = y - slope * x - intercept
    error = np.sqrt((residuals**2).sum() / (3 - 2) / ((x - x.mean()) ** 2).sum())
    found = summarise(trials)[0].exponents[0]
    assert found.value == pytest.approx(slope)
    assert found.standard_error == pytest.approx(error)


@pytest.mark.parametrize("lengths", [(10,), (10, 100), (50, 100, 200)])
def test_fewer_than_three_lengths_make_no_exponent(lengths: tuple[int, ...]) -> None:
    assert summarise([timed("projected", length) for length in lengths])[0].exponents == ()


def test_rows_are_in_the_order_of_their_lengths() -> None:
    rows = summarise([timed("projected", length) for length in reversed(LENGTHS)])[0].rows
    assert tuple(row.length for row in rows) == LENGTHS
