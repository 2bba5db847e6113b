"""Alignments of one example, kept and drawn."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mocha_lightning.pictures.alignments import Alignments
from mocha_lightning.pictures.figure import draw, png


def alignments(seed: int = 0, utterance: str = "one") -> Alignments:
    generator = np.random.default_rng(seed)
    expected = generator.dirichlet(np.ones(20), size=4).astype(np.float32)
    hard = np.eye(20, dtype=np.float32)[[2, 5, 9, 9]]
    energies = generator.standard_normal((80, 12)).astype(np.float32)
    return Alignments(utterance, ("a", "␣", "b", "</s>"), expected, hard, energies, 0.01)


def test_what_is_kept_is_read_again() -> None:
    written = alignments()
    read = Alignments.from_bytes(written.to_bytes())
    assert (read.utterance, read.symbols, read.frame_seconds) == (
        written.utterance,
        written.symbols,
        written.frame_seconds,
    )
    for name in ("expected", "hard", "energies"):
        np.testing.assert_array_equal(getattr(read, name), getattr(written, name))


@pytest.mark.parametrize(
    "change",
    [
        {"symbols": ()},
        {"symbols": (1.0, 2.0, 3.0, 4.0)},
        {"symbols": ("a", "</s>")},
        {"expected": np.float32(0.5)},
        {"expected": np.zeros((4, 0), np.float32)},
        {"expected": np.full((4, 20), np.nan)},
        {"hard": np.zeros((4, 19), np.float32)},
        {"hard": np.zeros((4, 20), np.complex64)},
        {"energies": np.zeros((0, 12), np.float32)},
        {"energies": np.zeros(80, np.float32)},
        {"frame_seconds": float("nan")},
        {"frame_seconds": 0.0},
    ],
    ids=str,
)
def test_what_cannot_be_drawn_is_not_read(change: dict[str, Any]) -> None:
    spoilt = replace(alignments(), **change).to_bytes()
    with pytest.raises(ValueError, match=r"is no|belong|is none|a frame of"):
        Alignments.from_bytes(spoilt)


def test_a_figure_has_a_row_for_each_model_and_the_spectrogram() -> None:
    figure = draw({"soft": alignments(0), "mocha_w2": alignments(1)})
    titles = [panel.get_title() for panel in figure.axes]
    assert titles == [
        *("soft, expected", "soft, hard"),
        *("mocha_w2, expected", "mocha_w2, hard"),
        *("", ""),
    ]


def test_a_panel_shows_the_weights() -> None:
    shown = alignments()
    first, second, spectrogram, _ = draw({"mocha": shown}).axes
    np.testing.assert_array_equal(first.images[0].get_array(), shown.expected)
    np.testing.assert_array_equal(second.images[0].get_array(), shown.hard)
    np.testing.assert_array_equal(spectrogram.images[0].get_array(), shown.energies.T)


def test_a_figure_is_the_same_bytes_again() -> None:
    content = png(draw({"mocha": alignments()}))
    assert content.startswith(b"\x89PNG")
    assert content == png(draw({"mocha": alignments()}))


def test_alignments_of_two_utterances_are_not_compared() -> None:
    with pytest.raises(ValueError, match="must be of one utterance"):
        draw({"soft": alignments(), "mocha": alignments(utterance="two")})


def test_the_transcript_stands_above_in_lines_that_have_room() -> None:
    words = ["COMPANY"] * 40
    symbols = (*"␣".join(words), "</s>")
    nothing = np.zeros((len(symbols), 20), np.float32)
    long = replace(alignments(), symbols=symbols, expected=nothing, hard=nothing)
    figure = draw({"mocha": long})
    title = figure.get_suptitle()
    assert title.split() == ["one:", *words]
    png(figure)  # lays it out
    box = figure._suptitle.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width


def test_a_transcript_that_looks_like_mathematics_is_shown_as_it_is() -> None:
    png(draw({"mocha": alignments(utterance="$\\frac$")}))
