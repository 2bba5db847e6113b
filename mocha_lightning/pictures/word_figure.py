"""Where in its document each word of a summary comes from."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mocha_lightning.pictures.word_alignments import WordAlignments

WORD_INCHES = 0.13
"""Between two words on either axis, as long as there is room."""
MOST_INCHES = 16.0
MARGIN_INCHES = 1.2
"""For the words beside a panel."""


def draw_words(alignments: Mapping[str, WordAlignments]) -> Figure:
    """Draw each model's expected and hard attention to one document, words on both axes.

    Args:
        alignments: by the model's name; all of the same example.

    Raises:
        ValueError: none, or of different examples.
    """
    examples = {each.example for each in alignments.values()}
    if len(examples) != 1:
        raise ValueError(f"alignments must be of one example, not of {sorted(examples)}")
    shown = next(iter(alignments.values()))
    width = min(MOST_INCHES, MARGIN_INCHES + 2 * WORD_INCHES * len(shown.source))
    height = min(MOST_INCHES, MARGIN_INCHES + WORD_INCHES * len(shown.outputs))
    figure = Figure(
        figsize=(max(width, 2 * MARGIN_INCHES), height * len(alignments)), layout="constrained"
    )
    panels = figure.subplots(len(alignments), 2, sharex=True, sharey=True, squeeze=False)
    for pair, (name, each) in zip(panels, alignments.items(), strict=True):
        for panel, kind in zip(pair, ("expected", "hard"), strict=True):
            panel.imshow(
                getattr(each, kind),
                aspect="auto",
                vmin=0,
                vmax=1,
                cmap="Greys",
                interpolation="nearest",
            )
            panel.set_title(f"{name}, {kind}", fontsize=9)
        _name_words(pair[0], "y", each.outputs, height - MARGIN_INCHES)
    for panel in panels[-1]:
        _name_words(panel, "x", shown.source, (width - MARGIN_INCHES) / 2)
    figure.suptitle(shown.example, fontsize=10)
    return figure


def _name_words(panel: Axes, axis: str, words: Sequence[str], inches: float) -> None:
    """Write the words that fit beside one another: all, or every second, third..."""
    step = max(1, round(WORD_INCHES * len(words) / inches))
    # A dollar sign would begin a formula.
    names = [word.replace("$", r"\$") for word in words[::step]]
    if axis == "x":
        panel.set_xticks(range(0, len(words), step), names, fontsize=6, rotation=90)
    else:
        panel.set_yticks(range(0, len(words), step), names, fontsize=6)
