"""Alignments of a document's words, kept and drawn."""

import numpy as np
import pytest

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


def test_a_figure_has_a_row_for_each_model_and_words_on_both_axes() -> None:
    shown = {"soft": alignments(0), "mocha_w8": alignments(1)}
    figure = draw_words(shown)
    assert [panel.get_title() for panel in figure.axes] == [
        *("soft, expected", "soft, hard"),
        *("mocha_w8, expected", "mocha_w8, hard"),
    ]
    for panel, name, kind in zip(
        figure.axes, np.repeat(list(shown), 2), ["expected", "hard"] * 2, strict=True
    ):
        np.testing.assert_array_equal(panel.images[0].get_array(), getattr(shown[name], kind))
    words = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert words == ["The", r"\$", "price", "of", "x_1^", "."]
    outputs = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert outputs == ["price", r"\$", "</s>"]


def test_of_many_words_those_that_fit_are_named() -> None:
    source = tuple(f"word{number}" for number in range(400))
    figure = draw_words({"soft": alignments(source=source)})
    words = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert 20 < len(words) < 100
    assert words[:2] == ["word0", f"word{figure.axes[0].get_xticks()[1]:.0f}"]


def test_a_figure_is_the_same_bytes_again() -> None:
    content = png(draw_words({"mocha": alignments()}))
    assert content.startswith(b"\x89PNG")
    assert content == png(draw_words({"mocha": alignments()}))


def test_alignments_of_two_examples_are_not_compared() -> None:
    with pytest.raises(ValueError, match="must be of one example"):
        draw_words({"soft": alignments(), "mocha": alignments(example="two")})
