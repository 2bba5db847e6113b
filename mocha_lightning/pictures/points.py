"""Every run of every variant as a point: never a mean alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mocha_lightning.pictures.themed import ACCENT, INK, STYLE, WIDTH_INCHES

LINE_INCHES = 0.17
"""Of a name; its row of points is two more."""
NAME_LETTERS = 54
SPREAD = 0.55
"""Share of a row over which its points are spread, so that none hides another."""
BEYOND = 0.12
"""Share of the runs' range that is shown on either side of it."""
GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Points:
    """The values of one variant.

    Attributes:
        name: the variant's.
        values: one for each run; NaN where a run has none.
        mean: of all; None or NaN where there is none.
        interval: of the mean; None where there is none.
    """

    name: str
    values: Sequence[float]
    mean: float | None
    interval: tuple[float, float] | None


def draw_points(variants: Sequence[Points], label: str) -> Figure:
    """Draw a row for each variant: a point for each run, below them the mean and its interval.

    A run without a value is a cross at the right edge.

    Args:
        variants: from top to bottom.
        label: what the values are.
    """
    names = [wrap(each.name, NAME_LETTERS) or [""] for each in variants]
    heights = [len(lines) + 2 for lines in names]
    with matplotlib.rc_context(STYLE):
        figure = Figure(
            figsize=(WIDTH_INCHES, LINE_INCHES * (sum(heights) + 4)), layout="constrained"
        )
        panel = figure.subplots()
        bottoms = np.cumsum(heights)
        for each, lines, height, bottom in zip(variants, names, heights, bottoms, strict=True):
            panel.text(
                0,
                float(bottom - height),
                "\n".join(lines),
                transform=panel.get_yaxis_transform(),
                va="top",
                fontweight="bold",
                fontsize=8,
            )
            _draw_row(panel, each, float(bottom) - 1.4)
        panel.set_ylim(sum(heights) + 0.2, -0.2)
        panel.set_yticks([])
        panel.spines["left"].set_visible(False)
        panel.grid(axis="x")
        panel.set_axisbelow(True)
        panel.set_xlim(*_limits(variants))
        panel.set_xlabel(label)
    return figure


def _limits(variants: Sequence[Points]) -> tuple[float, float]:
    """The range of the runs, a little wider: an interval may be many times as wide."""
    numbers = [value for each in variants for value in each.values if math.isfinite(value)]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    beyond = BEYOND * (high - low) or 1.0
    return low - beyond, high + beyond


def _draw_row(panel: Axes, variant: Points, at: float) -> None:
    numbers = sorted(value for value in variant.values if math.isfinite(value))
    # Steps of the golden ratio leave no two neighbours at one height.
    heights = at - 0.1 + SPREAD * ((np.arange(len(numbers)) * GOLDEN) % 1 - 0.5)
    size = max(1.6, 5 - len(numbers) / 100)
    panel.plot(numbers, heights, "o", color=ACCENT, ms=size, mew=0, alpha=0.7)
    below = at + 0.5
    if variant.interval is not None:
        panel.plot(variant.interval, [below, below], color=INK, lw=1.2, marker="|", ms=5)
    if variant.mean is not None and math.isfinite(variant.mean):
        panel.plot(variant.mean, below, "D", color=INK, ms=3.6, mew=0)
    if len(numbers) < len(variant.values):
        edge = panel.get_yaxis_transform()
        panel.plot(1, at, "x", color=INK, ms=6, mew=1.4, transform=edge, clip_on=False)
