"""The figure of scores against the undecided share."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mocha_lightning.pictures.figure import pdf, png
from mocha_lightning.pictures.undecided import Scored, draw_undecided

RUNS = [
    Scored("little noise", 0.6, 67.0, 12.0),
    Scored("little noise", 0.5, 40.0, 0.0),
    Scored("enough", 0.1, 0.9, 0.9),
]


def drawn(runs: list[Scored] = RUNS, left_out: str = "") -> Figure:
    return draw_undecided(runs, "test/wer (%)", errors=True, left_out=left_out)


def marks(panel: Axes, fill: str) -> dict[tuple[float, float], tuple[object, object]]:
    """Where there are marks, and how they look."""
    return {
        place: (line.get_color(), line.get_marker())
        for line in panel.lines
        if line.get_fillstyle() == fill
        for place in map(tuple, line.get_xydata().tolist())
    }


def test_a_run_has_a_full_mark_for_hard_attention_and_a_hollow_one_for_expected() -> None:
    panel = drawn().axes[0]
    full, hollow = marks(panel, "full"), marks(panel, "none")
    assert list(full) == [(60, 67), (50, 40), (10, 0.9)]
    assert list(hollow) == [(60, 12), (50, 0), (10, 0.9)]
    assert list(full.values()) == list(hollow.values())
    assert full[60, 67] == full[50, 40]
    first, second = full[60, 67], full[10, 0.9]
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_a_line_joins_the_two_marks_of_a_run() -> None:
    joins = [join for lines in drawn().axes[0].collections for join in lines.get_segments()]
    assert [tuple(join.ravel()) for join in joins] == [
        (100 * run.undecided, run.expected, 100 * run.undecided, run.hard) for run in RUNS
    ]


def test_of_equal_scores_both_marks_are_seen() -> None:
    sizes = {line.get_fillstyle(): line.get_markersize() for line in drawn().axes[0].lines}
    assert sizes["none"] > sizes["full"] + 2


def test_every_point_lies_within_the_axes_whose_error_scale_begins_at_0() -> None:
    panel = drawn().axes[0]
    x, y = panel.get_xlim(), panel.get_ylim()
    assert x[0] == y[0] == 0
    assert x[1] >= 60
    assert y[1] >= 67
    # 10 to 20 and 1 to 2 are as far apart.
    places = panel.transData.transform([(0, each) for each in (1, 2, 10, 20)])[:, 1]
    assert places[1] - places[0] == pytest.approx(places[3] - places[2])


def test_a_score_that_is_no_error_rate_is_drawn_as_it_is() -> None:
    panel = draw_undecided(RUNS, "test/rouge2 (%)", errors=False).axes[0]
    places = panel.transData.transform([(0, each) for each in (0, 1, 10, 11)])[:, 1]
    assert places[1] - places[0] == pytest.approx(places[3] - places[2])


def test_more_variants_than_colours_are_told_apart() -> None:
    many = [Scored(f"v{number}", 0.5, float(number), 1.0) for number in range(20)]
    panel = drawn(many).axes[0]
    assert len(set(marks(panel, "full").values())) == 20


def test_no_error_at_all_and_more_than_100_have_their_places() -> None:
    for error in (0.0, 130.0):
        panel = drawn([Scored("one", 0.0, error, error), Scored("two", 0.0, error, error)]).axes[0]
        assert np.isfinite(panel.transData.transform((0, error))).all()
        assert panel.get_ylim()[1] >= error
        assert panel.get_xlim()[1] > 0


def test_the_legend_says_what_marks_mean_and_the_foot_what_is_left_out() -> None:
    figure = drawn(left_out="enough seed 1")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        *("little noise", "enough", "hard attention", "expected attention"),
    ]
    assert figure.get_supxlabel() == "without numbers: enough seed 1"
    assert drawn().get_supxlabel() == ""


@pytest.mark.parametrize("write", [png, pdf])
def test_a_figure_is_the_same_bytes_again(write) -> None:
    assert write(drawn()) == write(drawn())
