"""How the runs of each variant learnt."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import matplotlib
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy import ndarray

from mocha_lightning.pictures.themed import ACCENT, FAINT, INK, STYLE, WIDTH_INCHES

COLUMNS = 2
PANEL_INCHES, TITLE_INCHES = 1.27, 0.13
"""Of a panel and of each line of its title."""
TITLE_LETTERS = 28
MOST_POINTS = 200
"""Of a line; more would not be seen."""
LEAST_POINTS = 8
ALL_POINTS = 40_000
"""Of all lines, so that a page of thousands of runs can still be opened."""
FEW_POWERS = 5
"""Of ten, between which there is room for another number."""
WIDE = 20.0
"""Of values that differ by this factor only a logarithmic axis shows the lower ones."""


@dataclass(frozen=True)
class Line:
    """Values by ascending step; NaN where there is none."""

    steps: Sequence[int]
    values: Sequence[float]


def draw_learning(
    variants: Mapping[str, Sequence[Line]], label: str, logarithmic: bool = False
) -> Figure:
    """Draw a panel for each variant: its runs as thin lines, their mean thick, others' means faint.

    Args:
        variants: the runs of each, one of them at least.
        label: what the values are.
        logarithmic: the axis of the values; none is below zero then.
    """
    most = points_a_line(sum(map(len, variants.values())))
    means = {name: mean_line(lines) for name, lines in variants.items()}
    columns = min(COLUMNS, len(variants))
    rows = -(-len(variants) // columns)
    titles = {name: wrap(name, TITLE_LETTERS) for name in variants}
    height = PANEL_INCHES + TITLE_INCHES * max(map(len, titles.values()))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, height * rows + 0.4), layout="constrained")
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, (name, lines) in zip(panels.flat, variants.items(), strict=False):
            others = [mean for key, mean in means.items() if key != name]
            _draw(panel, others, MOST_POINTS, color=FAINT, lw=1)
            _draw(panel, lines, most, color=ACCENT, lw=0.8, alpha=0.8)
            _draw(panel, [means[name]], MOST_POINTS, color=INK, lw=2)
            title = "\n".join(titles[name])
            panel.set_title(title, fontsize=8, fontweight="bold", loc="left", pad=3)
        for unused in panels.flat[len(variants) :]:
            unused.axis("off")
        _scale(panels.flat[0], [line for lines in variants.values() for line in lines], logarithmic)
        for panel in panels.flat[max(0, len(variants) - columns) : len(variants)]:
            panel.tick_params(labelbottom=True)
        figure.supxlabel("training step", fontsize=9)
        figure.supylabel(label, fontsize=9)
    return figure


def points_a_line(runs: int) -> int:
    """How many points of each run's line are drawn."""
    return min(MOST_POINTS, max(LEAST_POINTS, ALL_POINTS // max(1, runs)))


def mean_line(lines: Sequence[Line]) -> Line:
    """The mean over the runs, at those steps where each of them has a value.

    Elsewhere the mean would be that of those runs which have done well.
    """
    found = [dict(zip(line.steps, line.values, strict=True)) for line in lines]
    steps = sorted(set[int]().union(*found))
    values = [math.fsum(each.get(step, math.nan) for each in found) for step in steps]
    return Line(steps, [value / len(lines) for value in values])


def is_wide(lines: Sequence[Line]) -> bool:
    """Whether the lower values need a logarithmic axis to be told apart."""
    above = [value for line in lines for value in line.values if value > 0]
    below = any(value < 0 for line in lines for value in line.values)
    return bool(above) and not below and max(above) > WIDE * min(above)


def _scale(panel: Axes, lines: Sequence[Line], logarithmic: bool) -> None:
    """Make room for all lines, on the axes that all panels share."""
    last = max(step for line in lines for step in line.steps)
    panel.set_xlim(0, last * 1.03)
    values = [value for line in lines for value in line.values if math.isfinite(value)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if logarithmic:
        least = min(value for value in values if value > 0)
        # Zero has a place on such an axis only where it is needed.
        if low == 0:
            panel.set_yscale("symlog", linthresh=least, linscale=0.5)
            panel.set_ylim(-least / 10, high * 1.2)
        else:
            panel.set_yscale("log")
            panel.set_ylim(least / 1.2, high * 1.2)
        panel.set_yticks([*([0.0] if low == 0 else []), *_ticks(least, high)])
        panel.yaxis.set_minor_locator(NullLocator())
    else:
        beyond = 0.05 * (high - low) or 1.0
        panel.set_ylim(low - beyond, high + beyond)
    panel.yaxis.set_major_formatter("{x:g}")


def _ticks(least: float, most: float) -> Iterator[float]:
    """1, 3, 10, 30..., or the powers of ten alone where there are many."""
    exponents = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    factors = (1, 3) if len(exponents) < FEW_POWERS else (1,)
    for tick in (factor * 10.0**exponent for exponent in exponents for factor in factors):
        if least <= tick <= most:
            yield tick


def _draw(panel: Axes, lines: Sequence[Line], most: int, **style: Any) -> None:
    drawn = [_thinned(line, most) for line in lines]
    # One object for all lines: of thousands, matplotlib is slow.
    panel.add_collection(LineCollection(drawn, capstyle="round", **style))
    alone = [points for points in drawn if len(points) == 1]
    if alone:
        panel.plot(*np.concatenate(alone).T, "o", ms=2 * style["lw"] + 1, color=style["color"])


def _thinned(line: Line, most: int) -> Float[ndarray, "points 2"]:
    shown = np.unique(np.linspace(0, len(line.steps) - 1, most).round().astype(int))
    points: Float[ndarray, "points 2"] = np.column_stack([line.steps, line.values])[shown]
    return points
