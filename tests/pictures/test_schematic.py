"""What is drawn of a mechanism's decoding, node by node."""

import numpy as np
import pytest
from matplotlib.axes import Axes

from mocha_lightning.pictures.figure import pdf, png
from mocha_lightning.pictures.schematic import BOLD, Grid, draw_schematic

T = 5
SOFT = Grid(
    "soft attention",
    np.array([[0.5, 0.25, 0.25, 0, 0], [0.2, 0.2, 0.2, 0.2, 0.2], [0, 0, 0, 0, 1]]),
    np.zeros((3, T), bool),
    None,
    chunks=False,
)
MOCHA = Grid(
    "MoChA",
    np.array([[0.1, 0.9, 0, 0, 0], [0, 0, 0.75, 0.25, 0], [0, 0, 0, 0, 0]]),
    np.array([[1, 1, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 1, 1]], bool),
    (1, 3, 5),
    chunks=True,
)


def nodes(panel: Axes) -> dict[tuple[int, int], object]:
    """By output and entry."""
    return {(int(each.center[1]), int(each.center[0])): each for each in panel.patches}


@pytest.mark.parametrize("grid", [SOFT, MOCHA], ids=lambda grid: grid.name)
def test_every_entry_has_a_node_at_every_output_whose_shade_is_its_weight(grid: Grid) -> None:
    drawn = nodes(draw_schematic([grid]).axes[0])
    shades = np.array(
        [[1 - drawn[i, j].get_facecolor()[0] for j in range(T)] for i in range(len(grid.weights))]
    )
    np.testing.assert_allclose(shades, grid.weights, atol=1e-9)


def test_a_bold_border_is_where_the_head_stops_and_nowhere_else() -> None:
    bold = [at for at, each in nodes(panel_of(MOCHA)).items() if each.get_linewidth() == BOLD]
    assert bold == [(0, 1), (1, 3)]
    assert all(each.get_linewidth() < BOLD for each in nodes(panel_of(SOFT)).values())


def panel_of(grid: Grid) -> Axes:
    return draw_schematic([grid]).axes[0]


def test_a_cross_is_on_what_was_inspected_and_passed_and_can_be_seen() -> None:
    crosses = {
        (int(line.get_ydata()[0]), int(line.get_xdata()[0])): line.get_color()
        for line in panel_of(MOCHA).lines
        if line.get_marker() == "x"
    }
    assert crosses == {
        **{(0, 0): "black", (1, 1): "black", (1, 2): "white"},
        **{(2, 3): "black", (2, 4): "black"},
    }


def test_dotted_lines_are_at_the_ends_of_a_chunk() -> None:
    ends = [
        (line.get_xdata()[0], *line.get_ydata())
        for line in panel_of(MOCHA).lines
        if line.get_linestyle() == ":"
    ]
    assert ends == [(-0.5, -0.5, 0.5), (1.5, -0.5, 0.5), (1.5, 0.5, 1.5), (3.5, 0.5, 1.5)]
    assert not any(line.get_linestyle() == ":" for line in panel_of(SOFT).lines)


def test_a_scan_that_passed_the_end_has_a_context_of_zero() -> None:
    assert [(text.get_text(), text.get_position()[1]) for text in panel_of(MOCHA).texts] == [
        ("$c = 0$", 2)
    ]


def test_panels_have_letters_and_outputs_go_down() -> None:
    figure = draw_schematic([SOFT, MOCHA])
    assert [panel.get_title() for panel in figure.axes] == ["(a) soft attention", "(b) MoChA"]
    assert panel_of(MOCHA).get_title() == "MoChA"
    bottom, top = figure.axes[0].get_ylim()
    assert bottom > top
    labels = [each.get_text() for each in figure.axes[0].get_xticklabels()]
    assert labels == ["1", "2", "3", "4", "5"]


def test_the_legend_has_what_the_panels_have() -> None:
    def told(*grids: Grid) -> int:
        (legend,) = draw_schematic(grids).legends
        return len(legend.get_texts())

    assert (told(SOFT), told(MOCHA), told(SOFT, MOCHA)) == (1, 4, 4)


@pytest.mark.parametrize("write", [png, pdf])
def test_a_figure_is_the_same_bytes_again(write) -> None:
    assert write(draw_schematic([SOFT, MOCHA])) == write(draw_schematic([SOFT, MOCHA]))
