"""Alignments of a document's words, kept and drawn."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from mocha_lightning.pictures.figure import png
from mocha_lightning.pictures.word_alignments import WordAlignments
from mocha_lightning.pictures.word_figure import draw_words

SOURCE = ("The", "$", "price", "of", "x_1^", ".")
OUTPUTS = ("price", "$", "</s>")


def alignments(seed: int = 0, example: str = "one", source: tuple[str, ...] = SOURCE):
    generator = np.random.default_rng(seed)
    expected = generator.dirichlet(np.ones(len(source)), size=3).astype(np.float32)
    hard = np.eye(len(source), dtype=np.float32)[[2, 1, 0]]
    return WordAlignments(example, source, OUTPUTS, expected, hard)


def test_what_is_kept_is_read_again() -> None:
    written = alignments()
    read = WordAlignments.from_bytes(written.to_bytes())
    assert (read.example, read.source, read.outputs) == ("one", SOURCE, OUTPUTS)
    np.testing.assert_array_equal(read.expected, written.expected)
    np.testing.assert_array_equal(read.hard, written.hard)


@pytest.mark.parametrize(
    "change",
    [
        {"source": ()},
        {"outputs": (1.0, 2.0, 3.0)},
        {"outputs": ("price",)},
        {"expected": np.zeros((3, 5), np.float32)},
        {"hard": np.full((3, 6), np.nan)},
    ],
    ids=str,
)
def test_what_cannot_be_drawn_is_not_read(change: dict[str, Any]) -> None:
    spoilt = replace(alignments(), **change).to_bytes()
    with pytest.raises(ValueError, match=r"is no|belong|is none"):
        WordAlignments.from_bytes(spoilt)


def panels(figure: Figure) -> dict[str, Axes]:
    """Those with weights, by title."""
    return {panel.get_title(): panel for panel in figure.axes if panel.get_title()}


def marked(panel: Axes) -> list[float]:
    """Rows with a cross beside them."""
    (line,) = panel.get_lines()
    assert (np.asarray(line.get_xdata()) > 1).all()  # right of the panel
    return list(line.get_ydata())


def written(labels: Sequence[Text]) -> list[str]:
    return [label.get_text() for label in labels]


def test_a_figure_has_a_row_for_each_model_and_words_on_both_axes() -> None:
    shown = {"soft": alignments(0), "mocha_w8": alignments(1)}
    found = panels(draw_words(shown))
    assert list(found) == [
        *("soft, expected", "soft, hard"),
        *("mocha_w8, expected", "mocha_w8, hard"),
    ]
    for title, panel in found.items():
        name, mode = title.split(", ")
        np.testing.assert_array_equal(panel.images[0].get_array(), getattr(shown[name], mode))
    lowest = found["mocha_w8, hard"]
    assert written(lowest.get_xticklabels()) == ["The", r"\$", "price", "of", "x_1^", "."]
    assert lowest.get_xlabel() == "the document's words"
    first = found["soft, expected"]
    assert written(first.get_yticklabels()) == ["price", r"\$", "</s>"]
    assert first.get_ylabel() == "the summary's words"


def test_what_is_the_same_in_both_modes_is_drawn_once() -> None:
    soft = replace(alignments(0), hard=alignments(0).expected)
    assert list(panels(draw_words({"soft": soft}))) == ["soft, expected and hard alike"]
    both = panels(draw_words({"soft": soft, "mocha": alignments(1)}))
    assert list(both)[1:] == ["mocha, expected", "mocha, hard"]
    places = [panel.get_position() for panel in both.values()]
    assert places[0].x0 == places[1].x0
    assert places[0].width == pytest.approx(places[1].width)


def test_small_weights_are_seen_and_none_is_white() -> None:
    """Soft attention over the first 400 words of an article, as See et al. read them."""
    words = tuple(f"word{number}" for number in range(400))
    weights = np.full((3, 400), 1 / 400, np.float32)
    weights[0, 0] = 0
    weights[1, 0] = 1
    figure = draw_words({"soft": WordAlignments("one", words, OUTPUTS, weights, weights)})
    (panel,) = panels(figure).values()
    shades = panel.images[0].to_rgba(weights)[:, :, 0]
    assert (shades[0, 0], shades[1, 0]) == (1, 0)
    assert 0.8 < shades[0, 1] < 0.9
    bar = figure.axes[-1]
    assert "cube root" in bar.get_xlabel()
    assert written(bar.get_xticklabels()) == ["0", "0.001", "0.01", "0.1", "0.5", "1"]


def test_a_row_where_nothing_is_attended_to_is_marked_and_the_mark_explained() -> None:
    whole = alignments()
    assert not draw_words({"mocha": whole}).legends
    hard = whole.hard.copy()
    hard[[0, 2]] = 0
    figure = draw_words({"mocha": replace(whole, hard=hard)})
    assert marked(panels(figure)["mocha, hard"]) == [0, 2]
    assert marked(panels(figure)["mocha, expected"]) == []
    (legend,) = figure.legends
    assert written(legend.get_texts())[0].startswith("nothing is attended to")


def test_of_many_words_those_attended_to_are_named_and_no_two_overlap() -> None:
    source = tuple(f"word{number}" for number in range(400))
    expected = np.full((3, 400), 1e-4, np.float32)
    expected[0, 101], expected[1, 102], expected[2, 333] = 0.5, 0.9, 0.3
    shown = {"mocha": WordAlignments("one", source, OUTPUTS, expected, np.eye(3, 400))}
    figure = draw_words(shown)
    figure.canvas.draw()
    panel = panels(figure)["mocha, expected"]
    names = written(panel.get_xticklabels())
    assert names == [f"word{place:.0f}" for place in panel.get_xticks()]
    assert {"word0", "word102", "word333"} <= set(names)  # 101 would touch the stronger 102
    assert "word101" not in names
    assert 40 < len(names) < 100
    boxes = [label.get_window_extent() for label in panel.get_xticklabels()]
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))
    assert boxes[0].y0 > 0


def test_a_long_word_is_cut_and_stays_in_the_picture() -> None:
    source = ("w" * 60, "m" * 24)
    figure = draw_words({"soft": alignments(source=(*source, *"abc"))})
    figure.canvas.draw()
    panel = panels(figure)["soft, expected"]
    assert written(panel.get_xticklabels())[:2] == ["w" * 23 + "…", source[1]]


def test_models_that_read_more_or_less_of_a_document_share_their_columns() -> None:
    shorter = replace(alignments(), source=SOURCE[:4], hard=np.eye(3, 4), expected=np.eye(3, 4) / 2)
    found = panels(draw_words({"short": shorter, "long": alignments()}))
    assert len({panel.get_xlim() for panel in found.values()}) == 1
    assert written(found["long, hard"].get_xticklabels())[-2:] == ["x_1^", "."]


def test_a_figure_is_the_same_bytes_again() -> None:
    content = png(draw_words({"mocha": alignments()}))
    assert content.startswith(b"\x89PNG")
    assert content == png(draw_words({"mocha": alignments()}))


def test_alignments_of_two_examples_are_not_compared() -> None:
    with pytest.raises(ValueError, match="must be of one example"):
        draw_words({"soft": alignments(), "mocha": alignments(example="two")})
