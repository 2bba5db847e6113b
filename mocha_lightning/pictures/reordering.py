"""What a window buys: how far a text may be reordered before a mechanism can no longer copy it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import matplotlib
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import ndarray

WIDTH_INCHES, HEIGHT_INCHES = 7.2, 3.9
DOTS_AN_INCH = 200
LEGEND_COLUMNS = 4
PRINT: dict[Any, Any] = {
    "font.size": 8,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
}
MARKERS = "os^vDh<>"
OTHERS = (
    ("black", (0, ())),
    ("#D55E00", (0, (4, 1.2))),
    ("#CC79A7", (0, (1, 1))),
    ("#0072B2", (0, (4, 1, 1, 1))),
    ("#999999", (0, (2, 1))),
)
"""Colours (Okabe and Ito's, which the colour-blind tell apart) and dashes of what has no window."""
WIDEST, NARROWEST = 4.4, 1.1
"""Points. Of curves that lie on one another all are seen, since the lower is the wider."""


@dataclass(frozen=True)
class Curve:
    """How a variant did, in per cent, with a value for each seed.

    Attributes:
        name: what the legend calls it.
        window: w, the entries of its chunk; None where it has none.
        normal: by reordering distance.
        reversed: on documents in reversed order; None where there are none.
    """

    name: str
    window: int | None
    normal: Mapping[int, Sequence[float]]
    reversed: Sequence[float] | None


@dataclass(frozen=True)
class Documents:
    """How many documents are behind each point, by distance and in reversed order."""

    normal: Mapping[int, int]
    reversed: int


@dataclass(frozen=True)
class _Look:
    color: object
    dashes: object
    marker: str
    width: float


def draw_reordering(curves: Sequence[Curve], documents: Documents) -> Figure:
    """Draw accuracy against reordering distance, a curve for each variant.

    A line is the mean over seeds, its band reaches from the worst seed to the best. A vertical
    line is where a window of w words ends: an attention that never moves back must see d + 1
    words to copy at distance d. Distances are drawn by octaves, so that each doubling of w is as
    wide as the last. Below are the numbers of documents.

    Args:
        curves: in the legend's order.
        documents: their numbers.
    """
    looks = list(_looks(curves))
    with matplotlib.rc_context(PRINT):
        figure = Figure(figsize=(WIDTH_INCHES, HEIGHT_INCHES), layout="constrained")
        widths = (4.4, 1) if documents.reversed else (1,)
        grid = figure.add_gridspec(2, len(widths), width_ratios=widths, height_ratios=(7, 1))
        panel = figure.add_subplot(grid[0, 0])
        _draw_curves(panel, curves, looks)
        _mark_windows(panel, curves, looks)
        _draw_numbers(figure.add_subplot(grid[1, 0], sharex=panel), documents.normal)
        if documents.reversed:
            side = figure.add_subplot(grid[0, 1], sharey=panel)
            _draw_reversed(side, curves, looks)
            number = figure.add_subplot(grid[1, 1])
            number.axis("off")
            number.text(0.5, 0.5, f"{documents.reversed:,} documents", ha="center", va="center")
        columns = min(len(curves), LEGEND_COLUMNS)
        # A legend is filled by columns and read by rows.
        places = [place for first in range(columns) for place in range(len(curves))[first::columns]]
        handles, names = panel.get_legend_handles_labels()
        figure.legend(
            [handles[place] for place in places],
            [names[place] for place in places],
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            handlelength=3.4,
            title=_seeds(curves),
            title_fontsize=7.5,
        )
    return figure


def _looks(curves: Sequence[Curve]) -> Iterator[_Look]:
    """Shades of one scale for the windows, the largest darkest; a colour of its own for others."""
    windows = sorted({curve.window for curve in curves if curve.window is not None}, reverse=True)
    shades = matplotlib.colormaps["viridis"](np.linspace(0.1, 0.85, max(len(windows), 2)))
    others = cycle(OTHERS)
    markers = cycle(MARKERS)
    widths = np.linspace(WIDEST, NARROWEST, max(len(curves), 2))
    for curve, width in zip(curves, widths, strict=False):
        if curve.window is None:
            color, dashes = next(others)
        else:
            color, dashes = shades[windows.index(curve.window)], (0, ())
        yield _Look(color, dashes, next(markers), float(width))


def _place(distance: float | Sequence[float]) -> Float[ndarray, "..."]:
    """Where a distance is drawn: by the octave of the window that it needs."""
    place: Float[ndarray, ...] = np.log2(np.asarray(distance, float) + 1)
    return place


def _draw_curves(panel: Axes, curves: Sequence[Curve], looks: Sequence[_Look]) -> None:
    for depth, (curve, look) in enumerate(zip(curves, looks, strict=True)):
        distances = sorted(curve.normal)
        values = [curve.normal[distance] for distance in distances]
        at = _place(distances)
        low, high = ([extreme(each) for each in values] for extreme in (min, max))
        panel.fill_between(at, low, high, color=look.color, alpha=0.18, lw=0, zorder=2)
        panel.plot(
            at,
            [np.mean(each) for each in values],
            color=look.color,
            ls=look.dashes,
            lw=look.width,
            marker=look.marker,
            ms=look.width + 2.6,
            mec="white",
            mew=0.5,
            label=curve.name,
            zorder=3 + depth,
            clip_on=False,
        )
    panel.set_ylim(0, 103)
    panel.set_yticks(range(0, 101, 20))
    panel.grid(axis="y", lw=0.4, color="0.9")
    panel.set_axisbelow(True)
    panel.set_ylabel("copied without a mistake (%)")
    panel.tick_params(labelbottom=False)


def _mark_windows(panel: Axes, curves: Sequence[Curve], looks: Sequence[_Look]) -> None:
    """Say where each window ends, as far as there are documents beyond it."""
    furthest = max(max(curve.normal) for curve in curves)
    colors = {
        curve.window: look.color for curve, look in zip(curves, looks, strict=True) if curve.window
    }
    reached = {window: color for window, color in colors.items() if window <= furthest}
    for window, color in reached.items():
        # Halfway from the last distance that it reaches to the first that it does not.
        at = float(_place(window - 1) + _place(window)) / 2
        panel.axvline(at, color=color, lw=0.9, ls=(0, (2, 2)), zorder=1)
        _write_above(panel, at, f"w = {window}", color=color, fontweight="bold", ha="center")
    if reached:
        start = float(panel.get_xlim()[0])
        _write_above(panel, start, "window ends:", color="0.35", ha="right")


def _write_above(panel: Axes, at: float, text: str, **style: Any) -> None:
    panel.annotate(
        text,
        (at, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        **style,
    )


def _draw_numbers(panel: Axes, documents: Mapping[int, int]) -> None:
    distances = sorted(documents)
    numbers = [documents[distance] for distance in distances]
    panel.vlines(_place(distances), 0, numbers, color="0.45", lw=2.5)
    panel.set_ylim(0, max(numbers) * 1.1)
    panel.set_yticks([0, max(numbers)])
    panel.set_ylabel("documents", fontsize=7)
    # Beyond the third octave there is no room for each.
    named = [each for each in distances if each <= 8 or not each & (each - 1)]
    if distances[-1] not in named:
        named.append(distances[-1])
    panel.set_xticks(_place(named), [str(distance) for distance in named])
    panel.set_xticks(_place(distances), minor=True)
    panel.set_xlabel("reordering distance (words that the summary goes back in its document)")


def _seeds(curves: Sequence[Curve]) -> str:
    """Of how many seeds a point is the mean."""
    numbers = {len(values) for curve in curves for values in curve.normal.values()}
    least, most = min(numbers), max(numbers)
    if most == 1:
        return "a single seed each"
    seeds = f"{most}" if least == most else f"{least} to {most}"
    return f"lines: mean of {seeds} seeds; bands: from the worst to the best"


def _write_beside(panel: Axes, at: tuple[float, float], text: str, away: float) -> None:
    panel.annotate(text, at, xytext=(0, away), textcoords="offset points", ha="center", fontsize=7)


def _draw_reversed(panel: Axes, curves: Sequence[Curve], looks: Sequence[_Look]) -> None:
    for place, (curve, look) in enumerate(zip(curves, looks, strict=True)):
        if curve.reversed is not None:
            panel.plot([place] * 2, [min(curve.reversed), max(curve.reversed)], color=look.color)
            mean = float(np.mean(curve.reversed))
            panel.plot(
                place,
                mean,
                look.marker,
                color=look.color,
                ms=6,
                mec="white",
                mew=0.5,
                clip_on=False,
                zorder=3,
            )
            # Towards the middle, where nothing else is written.
            away = 5 if mean < 50 else -12
            _write_beside(panel, (place, mean), f"{mean:.0f}", away)
    panel.set_xlim(-0.8, len(curves) - 0.2)
    panel.set_xticks([])
    panel.grid(axis="y", lw=0.4, color="0.9")
    panel.set_axisbelow(True)
    panel.tick_params(labelleft=False)
    panel.set_title("reversed order", fontsize=8, pad=3)
