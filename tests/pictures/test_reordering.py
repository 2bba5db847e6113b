"""The figure that tells what a chunk buys."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from mocha_lightning.pictures.figure import pdf, png
from mocha_lightning.pictures.reordering import Curve, Documents, draw_reordering

DISTANCES = (0, 1, 2, 3, 4, 8)
DOCUMENTS = Documents({distance: 40 - distance for distance in DISTANCES}, 1234)


def curve(window: int | None, name: str) -> Curve:
    """Right as far as the window goes, in two of three runs; in each run, with a chunk or none."""
    reach = 100 if window is None else window
    normal = {d: (90.0, 100.0, 98.0) if d < reach else (0.0, 6.0, 0.0) for d in DISTANCES}
    return Curve(name, window, normal, (0.0, 2.0, 4.0))


CURVES = [curve(None, "soft"), curve(4, "MoChA, w = 4"), curve(1, "MoChA, w = 1")]


def drawn(documents: Documents = DOCUMENTS) -> Figure:
    return draw_reordering(CURVES, documents)


def test_each_variant_has_a_line_of_means_and_a_band_from_worst_to_best() -> None:
    panel = drawn().axes[0]
    lines = {line.get_label(): line for line in panel.lines}
    for each, band in zip(CURVES, panel.collections, strict=True):
        means = [np.mean(each.normal[distance]) for distance in DISTANCES]
        np.testing.assert_allclose(lines[each.name].get_ydata(), means)
        corners = band.get_paths()[0].vertices[:, 1]
        assert (corners.min(), corners.max()) == (
            min(min(values) for values in each.normal.values()),
            max(max(values) for values in each.normal.values()),
        )


def test_distances_are_drawn_by_octaves_of_the_window_they_need() -> None:
    panel, numbers, *_ = drawn().axes
    places = dict(zip(DISTANCES, panel.lines[0].get_xdata(), strict=True))
    assert places[0] == 0
    assert places[1] - places[0] == places[3] - places[1] == 1
    assert dict(zip(numbers.get_xticks(), [each.get_text() for each in numbers.get_xticklabels()],
                    strict=True)) == {places[d]: str(d) for d in DISTANCES}  # fmt: skip


def test_a_mark_is_between_the_last_distance_that_a_window_reaches_and_the_next() -> None:
    panel = drawn().axes[0]
    marks = {text.get_text(): text.xy[0] for text in panel.texts}
    assert set(marks) == {"window ends:", "w = 1", "w = 4"}
    places = dict(zip(DISTANCES, panel.lines[0].get_xdata(), strict=True))
    assert places[0] < marks["w = 1"] < places[1]
    assert places[3] < marks["w = 4"] < places[4]


def test_a_window_that_no_document_exceeds_has_no_mark() -> None:
    panel = draw_reordering([curve(16, "MoChA, w = 16")], DOCUMENTS).axes[0]
    assert not panel.texts


def test_documents_are_counted_below_and_beside() -> None:
    _, numbers, turned, beside = drawn().axes
    heights = [segment[1][1] for segment in numbers.collections[0].get_segments()]
    assert heights == [DOCUMENTS.normal[distance] for distance in DISTANCES]
    assert [text.get_text() for text in beside.texts] == ["1,234 documents"]
    means = [line.get_ydata()[0] for line in turned.lines if len(line.get_ydata()) == 1]
    assert means == [2.0] * 3
    assert [text.get_text() for text in turned.texts] == ["2"] * 3


@pytest.mark.parametrize(("furthest", "named"), [(11, "11"), (16, "16"), (20, "16 20")])
def test_where_there_is_no_room_octaves_and_the_furthest_distance_are_named(
    furthest: int, named: str
) -> None:
    distances = range(furthest + 1)
    far = Curve("soft", None, dict.fromkeys(distances, (1.0,)), None)
    numbers = draw_reordering([far], Documents(dict.fromkeys(distances, 5), 0)).axes[1]
    labels = [each.get_text() for each in numbers.get_xticklabels()]
    assert labels == [*map(str, range(9)), *named.split()]


def test_it_says_how_many_seeds_a_line_is_the_mean_of() -> None:
    def said(*curves: Curve) -> str:
        (legend,) = draw_reordering(curves, DOCUMENTS).legends
        return str(legend.get_title().get_text())

    alone = Curve("soft", None, dict.fromkeys(DISTANCES, (1.0,)), None)
    assert said(*CURVES) == "lines: mean of 3 seeds; bands: from the worst to the best"
    assert said(CURVES[0], alone).startswith("lines: mean of 1 to 3 seeds; ")
    assert said(alone) == "a single seed each"


def test_without_reversed_documents_there_is_no_place_for_them() -> None:
    assert len(drawn(Documents(DOCUMENTS.normal, 0)).axes) == 2


def test_lines_differ_in_more_than_colour_and_the_lower_is_the_wider() -> None:
    lines = [line for line in drawn().axes[0].lines if line.get_label() in {c.name for c in CURVES}]
    assert len({line.get_marker() for line in lines}) == 3
    widths = [line.get_linewidth() for line in sorted(lines, key=lambda line: line.zorder)]
    assert widths == sorted(widths, reverse=True)
    greys = [np.dot(matplotlib_rgb(line.get_color()), (0.299, 0.587, 0.114)) for line in lines]
    assert np.diff(sorted(greys)).min() > 0.1


def matplotlib_rgb(color: object) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return np.array(to_rgb(color))


def test_a_legend_is_read_by_rows() -> None:
    many = [curve(None, f"v{number}") for number in range(7)]
    (legend,) = draw_reordering(many, DOCUMENTS).legends
    assert [text.get_text() for text in legend.get_texts()] == [
        *("v0", "v4", "v1", "v5", "v2", "v6", "v3"),
    ]


@pytest.mark.parametrize("write", [png, pdf])
def test_a_figure_is_the_same_bytes_again(write) -> None:
    assert write(drawn()) == write(drawn())
