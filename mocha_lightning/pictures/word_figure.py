"""Where in its document each word of a summary comes from."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy import ndarray

from mocha_lightning.pictures.word_alignments import WordAlignments
from mocha_lightning.pictures.word_layout import HEAD, Layout, fitting, written

FONT_POINTS = 6
EXPONENT = 1 / 3
"""Of a weight, for its shade: attention that is spread over 400 words (0.0025 each) is seen."""
COLORS = "gist_yarg"
"""As dark as its number, where Greys begins slowly."""
MARKS = (0, 0.001, 0.01, 0.1, 0.5, 1)
"""On the scale's bar."""
STRONG = 0.1
"""A document's word with such a weight is written where there is room for one of its kind."""
NOTHING = 1e-3
"""A row whose weights sum to less would look empty, and is marked as such."""
MARK_INCHES = 0.08
"""From a panel to the marks beside it."""
MARK: dict[str, Any] = {"marker": "x", "color": "#D55E00", "ls": "none", "ms": 4, "mew": 0.9}


def draw_words(alignments: Mapping[str, WordAlignments]) -> Figure:
    """Draw each model's expected and hard attention to one document, words on both axes.

    Rows are the summary's words, columns the document's. A model whose attention is the same in
    both modes, as soft attention is, is drawn once. A row where nothing is attended to is marked.

    Args:
        alignments: by the model's name; all of the same example.

    Raises:
        ValueError: none, or of different examples.
    """
    examples = {each.example for each in alignments.values()}
    if len(examples) != 1:
        raise ValueError(f"alignments must be of one example, not of {sorted(examples)}")
    # Variants may read more or less of a document, and of its summary.
    source = max((each.source for each in alignments.values()), key=len)
    outputs = max((each.outputs for each in alignments.values()), key=len)
    drawn = {name: _modes(each) for name, each in alignments.items()}
    columns = max(map(len, drawn.values()))
    layout = Layout.of(len(alignments), columns, outputs, source)
    figure = Figure(figsize=layout.size)
    rows = fitting(range(len(outputs)), layout.high / len(outputs))
    named = _columns([*alignments.values()], layout.wide / len(source))
    lowest: dict[int, Axes] = {}
    empty = False
    for row, (name, modes) in enumerate(drawn.items()):
        for column, (mode, weights) in enumerate(modes.items()):
            panel = layout.panel(figure, row, column)
            empty |= _draw_weights(panel, weights, layout.wide)
            panel.set(xlim=(-0.5, len(source) - 0.5), ylim=(len(outputs) - 0.5, -0.5))
            panel.set_title(f"{name}, {mode}", fontsize=9)
            panel.tick_params(labelbottom=False, labelleft=column == 0)
            own = alignments[name].outputs
            _name_words(panel, "y", own, [each for each in rows if each < len(own)])
            _name_words(panel, "x", source, named)
            lowest[column] = panel
            if column == 0:
                panel.set_ylabel("the summary's words", fontsize=8)
    for panel in lowest.values():
        panel.tick_params(labelbottom=True)
        panel.set_xlabel("the document's words", fontsize=8)
    image = lowest[0].images[0]
    bar = figure.colorbar(image, layout.bar(figure), orientation="horizontal", ticks=MARKS)
    bar.ax.set_xticklabels([f"{mark:g}" for mark in MARKS], fontsize=FONT_POINTS)
    bar.set_label("weight of a word (its shade is the cube root)", fontsize=8)
    if empty:
        figure.legend(
            [Line2D([], [], **MARK)],
            ["nothing is attended to: a monotonic head has passed the document's end"],
            loc="center left",
            bbox_to_anchor=layout.note_place(),
            borderpad=0,
            handlelength=1,
            frameon=False,
            fontsize=8,
        )
    figure.suptitle(next(iter(examples)), fontsize=10, y=1 - HEAD / 2 / layout.size[1], va="center")
    return figure


def _modes(alignments: WordAlignments) -> dict[str, Float[ndarray, "outputs words"]]:
    """What is drawn of a model, by what it is called."""
    if np.allclose(alignments.expected, alignments.hard, rtol=0, atol=1e-6):
        return {"expected and hard alike": alignments.expected}
    return {"expected": alignments.expected, "hard": alignments.hard}


def _draw_weights(panel: Axes, weights: Float[ndarray, "outputs words"], wide: float) -> bool:
    """Draw a panel, so many inches wide; whether some row is marked as empty."""
    norm = PowerNorm(EXPONENT, vmin=0, vmax=1)
    panel.imshow(weights, aspect="auto", norm=norm, cmap=COLORS, interpolation="nearest")
    (rows,) = np.nonzero(weights.sum(1) < NOTHING)
    panel.plot(
        np.full(len(rows), 1 + MARK_INCHES / wide),
        rows,
        transform=panel.get_yaxis_transform(),
        clip_on=False,
        **MARK,
    )
    return len(rows) > 0


def _columns(alignments: Sequence[WordAlignments], inches: float) -> list[int]:
    """Which of a document's words are written: first what is attended to most, then what fits."""
    strength = np.zeros(max(len(each.source) for each in alignments))
    for each in alignments:
        for weights in (each.expected, each.hard):
            here = strength[: weights.shape[1]]
            np.maximum(here, weights.max(0), out=here)
    strong = [int(word) for word in np.argsort(-strength, kind="stable") if strength[word] > STRONG]
    return fitting([*strong, *range(len(strength))], inches)


def _name_words(panel: Axes, axis: str, words: Sequence[str], places: Sequence[int]) -> None:
    # A dollar sign would begin a formula.
    names = [written(words[place]).replace("$", r"\$") for place in places]
    if axis == "x":
        panel.set_xticks(places, names, fontsize=FONT_POINTS, rotation=90)
    else:
        panel.set_yticks(places, names, fontsize=FONT_POINTS)
