"""How many decimals a table gets."""

import math

import pytest

from mocha_lightning.report.formats import decimal
from mocha_lightning.report.precision import decimals


@pytest.mark.parametrize(
    ("spreads", "digits"),
    [
        ([3.09, -2.6, 1.23], 2),
        ([0.2], 2),
        ([0.1], 2),
        ([0.3 - 0.2], 2),
        ([0.099], 3),
        ([0.0999], 2),
        ([3.0, -0.0014], 4),
        ([0.0002, 0.0000017], 6),
        ([123.4], 2),
        ([], 2),
    ],
)
def test_the_smallest_spread_shows_two_significant_digits(
    spreads: list[float], digits: int
) -> None:
    assert decimals(spreads, []) == digits


@pytest.mark.parametrize("nothing", [0.0, -4e-16, 4e-7, math.nan])
def test_what_six_decimals_would_print_as_zero_decides_nothing(nothing: float) -> None:
    assert decimals([nothing, 0.031], []) == 3
    assert decimals([nothing], []) == 2


def test_means_decide_only_where_there_is_no_spread() -> None:
    assert decimals([0.2], [0.4512, 0.4498]) == 2
    assert decimals([], [0.4512, 0.4498, 0.9]) == 4
    assert decimals([0.0], [0.4512, 0.4498]) == 4
    assert decimals([], [math.nan, 1.0]) == 2


def test_of_a_number_that_nobody_can_read_the_size_is_told() -> None:
    assert decimal(123_456_789_012_345.0) == "123,456,789,012,345.00"
    assert decimal(-2e38, 1, sign=True) == "-2.0e+38"
