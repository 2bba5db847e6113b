"""Every run as a point."""

import math

import numpy as np
from matplotlib.axes import Axes

from mocha_lightning.pictures.points import Points, draw_points

SOFT = Points("soft", [4.0, 4.4, 4.2], 4.2, (3.7, 4.7))
BROKEN = Points("broken", [2.0, math.nan], math.nan, None)


def panel_of(*variants: Points) -> Axes:
    (panel,) = draw_points(variants, "WER").axes
    return panel


def xs(panel: Axes, marker: str) -> list[float]:
    lines = [line for line in panel.lines if line.get_marker() == marker]
    return sorted(np.concatenate([line.get_xdata() for line in lines]).tolist()) if lines else []


def test_each_run_is_a_point_and_the_mean_a_diamond_with_its_interval() -> None:
    panel = panel_of(SOFT, BROKEN)
    assert xs(panel, "o") == [2.0, 4.0, 4.2, 4.4]
    assert xs(panel, "D") == [4.2]
    assert xs(panel, "|") == [3.7, 4.7]
    assert [text.get_text() for text in panel.texts] == ["soft", "broken"]


def test_equal_runs_hide_no_other() -> None:
    panel = panel_of(Points("same", [1.0] * 8, 1.0, None))
    (line,) = (line for line in panel.lines if line.get_marker() == "o")
    assert len(set(line.get_ydata())) == 8


def test_a_run_without_a_number_is_a_cross() -> None:
    assert len(xs(panel_of(BROKEN), "x")) == 1
    assert xs(panel_of(SOFT), "x") == []


def test_all_points_are_inside_and_a_long_interval_does_not_squeeze_them() -> None:
    low, high = panel_of(Points("wide", [1.0, 3.0], 2.0, (-10.0, 14.0))).get_xlim()
    assert low < 1
    assert high > 3
    assert high - low < 3
