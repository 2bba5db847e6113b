"""Holm's correction by its definition."""

import pytest

from mocha_lightning.report.statistics import holm


def test_the_k_th_smallest_is_multiplied_by_those_left_and_none_falls_below_one_before() -> None:
    assert holm([0.03, 0.01, 0.02, 0.9]) == pytest.approx([0.06, 0.04, 0.06, 0.9])


def test_it_is_no_more_than_1() -> None:
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_what_was_not_tested_counts_as_none() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, pytest.approx(0.04), None, pytest.approx(0.04)]
    assert holm([None]) == [None]
    assert holm([]) == []
