"""How large a picture of attention over words is, and which words are written beside it.

Sizes are in inches and follow from the words: letters must not overlap, whatever their number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

WORD_INCHES = 0.13
"""Between two words on either axis, as long as there is room."""
LABEL_INCHES = 0.1
"""Between two words that are written, at least: a little more than their letters' height."""
LETTER_INCHES = 0.055
"""A written word's letters are as wide as this or less."""
MOST_LETTERS = 24
"""Of a word that is written; a longer one is cut."""
MOST_INCHES = 14.0
"""Of panels beside one another, and of one panel's height."""
LEAST_INCHES = 4.0
"""Of panels beside one another: what is said below them needs it."""
LEAST_HIGH = 1.2
"""Of one panel's height: its axis's name needs it."""
HEAD, TITLE, AXIS, GAP, EDGE = 0.3, 0.3, 0.4, 0.35, 0.25
"""The picture's title, a panel's, an axis's name and ticks, between columns, right of them."""
BAR, SCALE, NOTE = 0.12, 0.45, 0.3
"""The scale's bar, its numbers and name, a line below."""


@dataclass(frozen=True)
class Layout:
    """Where panels are.

    Attributes:
        rows: of panels, a model each.
        columns: of panels.
        high: a panel's height.
        wide: a panel's width.
        left: of the panels.
        below: from the lowest panels to the scale's bar.
    """

    rows: int
    columns: int
    high: float
    wide: float
    left: float
    below: float

    @classmethod
    def of(cls, rows: int, columns: int, outputs: Sequence[str], source: Sequence[str]) -> "Layout":
        """For the words of a summary (outputs) and of its document (source)."""
        most, least = MOST_INCHES / columns, LEAST_INCHES / columns
        left, below = (
            AXIS + LETTER_INCHES * max(len(written(word)) for word in words)
            for words in (outputs, source)
        )
        return cls(
            rows=rows,
            columns=columns,
            high=max(LEAST_HIGH, min(MOST_INCHES, WORD_INCHES * len(outputs))),
            wide=max(least, min(most, WORD_INCHES * len(source))),
            left=left,
            below=below,
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole."""
        return (
            self.left + self.columns * self.wide + (self.columns - 1) * GAP + EDGE,
            HEAD + self.rows * (TITLE + self.high) + self.below + BAR + SCALE + NOTE,
        )

    def panel(self, figure: Figure, row: int, column: int) -> Axes:
        """Add one, the first at the top left."""
        left = self.left + column * (self.wide + GAP)
        top = HEAD + row * (TITLE + self.high) + TITLE
        return self._add(figure, left, top, self.wide, self.high)

    def bar(self, figure: Figure) -> Axes:
        """Add the scale's bar."""
        width, height = self.size
        across = min(LEAST_INCHES, width - self.left - EDGE)
        return self._add(figure, self.left, height - NOTE - SCALE - BAR, across, BAR)

    def note_place(self) -> tuple[float, float]:
        """Where the lowest line is, as shares of the picture."""
        width, height = self.size
        return self.left / width, NOTE / 2 / height

    def _add(self, figure: Figure, left: float, top: float, wide: float, high: float) -> Axes:
        width, height = self.size
        bottom = height - top - high
        return figure.add_axes((left / width, bottom / height, wide / width, high / height))


def written(word: str) -> str:
    """A word as far as it is written."""
    return word if len(word) <= MOST_LETTERS else f"{word[: MOST_LETTERS - 1]}…"


def fitting(places: Sequence[int], inches: float) -> list[int]:
    """Those of some places, the first first, whose words can be written beside one another.

    Args:
        places: by their importance; a place may come again.
        inches: from one place to the next.

    Returns:
        In ascending order.
    """
    apart = math.ceil(LABEL_INCHES / inches - 1e-9)
    found: set[int] = set()
    for place in places:
        if found.isdisjoint(range(place - apart + 1, place + apart)):
            found.add(place)
    return sorted(found)
