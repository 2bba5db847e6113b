"""Learning curves."""

import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from mocha_lightning.pictures.learning import (
    ALL_POINTS,
    LEAST_POINTS,
    MOST_POINTS,
    Line,
    draw_learning,
    is_wide,
    mean_line,
    points_a_line,
)

ONE, OTHER = Line([1, 2, 3], [8.0, 4.0, 2.0]), Line([1, 2, 3], [6.0, 4.0, math.nan])


def lines_of(panel: Axes) -> list[list[np.ndarray]]:
    return [
        [np.asarray(path.vertices) for path in each.get_paths()]
        for each in panel.collections
        if isinstance(each, LineCollection)
    ]


def test_a_panel_has_the_runs_of_its_variant_their_mean_and_other_means() -> None:
    figure = draw_learning({"soft": [ONE, OTHER], "mocha": [ONE]}, "val/wer")
    soft, mocha = figure.axes
    assert soft.get_title("left") == "soft"
    others, runs, mean = lines_of(soft)
    assert [line.tolist() for line in others] == [[[1, 8], [2, 4], [3, 2]]]
    assert len(runs) == 2
    np.testing.assert_array_equal(mean[0], [[1, 7], [2, 4], [3, math.nan]])
    assert len(lines_of(mocha)[1]) == 1


def test_the_mean_needs_every_run() -> None:
    found = mean_line([ONE, OTHER, Line([1, 3], [1.0, 1.0])])
    assert found.steps == [1, 2, 3]
    assert found.values[0] == pytest.approx(5)
    assert np.isnan(found.values[1:]).all()


def test_long_lines_are_thinned_and_keep_their_ends() -> None:
    steps = list(range(1, 5001))
    figure = draw_learning({"long": [Line(steps, [1.0 / step for step in steps])]}, "loss")
    _, (line,), _ = lines_of(figure.axes[0])
    assert len(line) == MOST_POINTS
    assert line[[0, -1], 0].tolist() == [1, 5000]


def test_thousands_of_runs_share_the_points() -> None:
    assert points_a_line(3) == MOST_POINTS
    assert points_a_line(ALL_POINTS // 50) == 50
    assert points_a_line(10**6) == LEAST_POINTS


def test_a_single_point_can_be_seen() -> None:
    figure = draw_learning({"short": [Line([5], [1.0])]}, "loss")
    assert figure.axes[0].lines[0].get_xdata().tolist() == [5]


@pytest.mark.parametrize("least", [1.0, 0.0])
def test_errors_that_fall_far_are_drawn_by_powers(least: float) -> None:
    line = Line([1, 2, 3], [200.0, 3.0, least])
    assert is_wide([line])
    panel = draw_learning({"soft": [line]}, "val/wer", logarithmic=True).axes[0]
    assert panel.get_yscale() == ("symlog" if least == 0 else "log")
    low, high = panel.get_ylim()
    assert low < least
    assert high > 200


def test_what_falls_little_or_below_zero_is_not() -> None:
    assert not is_wide([ONE])
    assert not is_wide([Line([1, 2], [-1.0, 100.0])])
    assert not is_wide([Line([1], [math.nan])])
