"""How the runs of each variant learnt."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mocha_lightning.pictures.themed import ACCENT, FAINT, INK, STYLE, WIDTH_INCHES

COLUMNS = 2
PANEL_INCHES = 1.4
TITLE_LETTERS = 28
MOST_POINTS = 200
"""Of a line; more would not be seen."""
LEAST_POINTS = 8
ALL_POINTS = 40_000
"""Of all lines, so that a page of thousands of runs can still be opened."""
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
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, PANEL_INCHES * rows + 0.5), layout="constrained")
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, (name, lines) in zip(panels.flat, variants.items(), strict=False):
            for other in (mean for key, mean in means.items() if key != name):
                _draw(panel, other, MOST_POINTS, color=FAINT, lw=1)
            for line in lines:
                _draw(panel, line, most, color=ACCENT, lw=0.8, alpha=0.8)
            _draw(panel, means[name], MOST_POINTS, color=INK, lw=2)
            title = "\n".join(wrap(name, TITLE_LETTERS))
            panel.set_title(title, fontsize=8, fontweight="bold", loc="left", pad=3)
        for unused in panels.flat[len(variants) :]:
            unused.axis("off")
        if logarithmic:
            _scale(panels.flat[0], [line for lines in variants.values() for line in lines])
        panels.flat[0].yaxis.set_major_formatter("{x:g}")
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


def _scale(panel: Axes, lines: Sequence[Line]) -> None:
    least = min(value for line in lines for value in line.values if value > 0)
    # Zero has a place on it, one step below the least value above it.
    panel.set_yscale("symlog", linthresh=least, linscale=0.5)
    panel.set_yticks([*_ticks(lines, least)])
    panel.yaxis.set_minor_locator(NullLocator())


def _ticks(lines: Sequence[Line], least: float) -> Iterator[float]:
    values = [value for line in lines for value in line.values if math.isfinite(value)]
    if min(values) == 0:
        yield 0.0
    exponents = range(math.floor(math.log10(least)), math.ceil(math.log10(max(values))) + 1)
    for tick in (factor * 10.0**exponent for exponent in exponents for factor in (1, 3)):
        if least <= tick <= max(values):
            yield tick


def _draw(panel: Axes, line: Line, most: int, **style: object) -> None:
    shown = np.unique(np.linspace(0, len(line.steps) - 1, most).round().astype(int))
    steps, values = (np.asarray(each, float)[shown] for each in (line.steps, line.values))
    panel.plot(steps, values, marker="o" if len(steps) == 1 else "", ms=3, **style)
