"""The paper's Figure 1: what each mechanism looks at, memory entry by memory entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from numpy import ndarray

INCHES_AN_ENTRY, MARGIN_INCHES = 0.27, 0.95
DOTS_AN_INCH = 200
RADIUS = 0.32
"""Of a node, in entries."""
THIN, BOLD = 0.6, 2.2
DARK = 0.5
"""A weight from which on a node is so dark that only white is seen on it."""


@dataclass(frozen=True)
class Grid:
    """What a mechanism did, hard, at each output.

    Attributes:
        name: of the mechanism.
        weights: of each memory entry in the context.
        inspected: of which entries the monotonic head computed an energy.
        stops: where it stopped, counted from 0; the number of entries where it passed the end;
            None without such a head.
        chunks: whether what it attends to is a chunk, whose boundaries are drawn.
    """

    name: str
    weights: Float[ndarray, "outputs time"]
    inspected: Bool[ndarray, "outputs time"]
    stops: Sequence[int] | None
    chunks: bool


def draw_schematic(grids: Sequence[Grid]) -> Figure:
    """Draw a node for each memory entry (left to right) at each output (top to bottom).

    A node's shade is its weight, white 0 and black 1; a cross is on what the head inspected and
    passed, a bold border around where it stopped, dotted lines are at the ends of a chunk.

    Args:
        grids: a panel each, from left to right.
    """
    outputs, entries = grids[0].weights.shape
    width = INCHES_AN_ENTRY * (entries + 2.5) * len(grids)
    height = INCHES_AN_ENTRY * outputs + MARGIN_INCHES + (0 if len(grids) > 1 else 0.2)
    with matplotlib.rc_context({"font.size": 8}):
        figure = Figure(figsize=(max(width, 4.2), height), layout="constrained")
        panels = figure.subplots(1, len(grids), squeeze=False)[0]
        for letter, (panel, grid) in zip("abcdefgh", zip(panels, grids, strict=True), strict=False):
            title = f"({letter}) {grid.name}" if len(grids) > 1 else grid.name
            panel.set_title(title, fontsize=8.5)
            _draw_grid(panel, grid)
        figure.legend(
            handles=_legend(grids),
            loc="outside lower center",
            ncols=4 if len(grids) > 1 else 2,
            frameon=False,
            fontsize=7.5,
            columnspacing=1.2,
        )
    return figure


def _draw_grid(panel: Axes, grid: Grid) -> None:
    outputs, entries = grid.weights.shape
    for i, row in enumerate(grid.weights.tolist()):
        stop = grid.stops[i] if grid.stops is not None else None
        for j, weight in enumerate(row):
            _draw_node(panel, (j, i), weight, stopped=j == stop)
            if grid.inspected[i, j] and j != stop:
                ink = "white" if weight > DARK else "black"
                panel.plot(j, i, "x", color=ink, ms=3.5, mew=0.8, zorder=3)
        if stop == entries:
            panel.text(entries - 0.4, i, "$c = 0$", va="center", fontsize=7)
        if grid.chunks and any(row):
            _draw_chunk(panel, i, np.flatnonzero(row).tolist())
    panel.set_xlim(-0.7, entries + 0.5)
    panel.set_ylim(outputs - 0.3, -0.7)
    panel.set_aspect("equal")
    panel.set_xticks(range(entries), [str(j + 1) for j in range(entries)], fontsize=6.5)
    panel.set_yticks(range(outputs), [str(i + 1) for i in range(outputs)], fontsize=6.5)
    panel.tick_params(length=0, pad=1)
    panel.spines[:].set_visible(False)
    panel.set_xlabel("memory entry $j$", labelpad=2)
    panel.set_ylabel("output $i$", labelpad=2)


def _draw_node(panel: Axes, at: tuple[float, float], weight: float, stopped: bool) -> None:
    panel.add_patch(
        Circle(
            at,
            RADIUS,
            facecolor=str(1 - min(1.0, weight)),
            edgecolor="black" if stopped or weight else "0.6",
            lw=BOLD if stopped else THIN,
            zorder=2,
        )
    )


def _draw_chunk(panel: Axes, output: int, attended: Sequence[int]) -> None:
    for at in (attended[0] - 0.5, attended[-1] + 0.5):
        panel.plot([at, at], [output - 0.5, output + 0.5], "k:", lw=1.1, zorder=1)


def _legend(grids: Sequence[Grid]) -> list[Line2D]:
    """What marks mean, of those that a picture can have."""
    handles = [_node("weight of 0 (white) to 1 (black)", face="0.7")]
    if any(grid.stops is not None for grid in grids):
        handles.append(_mark("x", "inspected, and passed", ms=4, mew=0.9))
        handles.append(_node("where the head stops", width=BOLD))
    if any(grid.chunks for grid in grids):
        handles.append(_mark(r"$\vdots$", "end of a chunk", ms=9, mew=0.3))
    return handles


def _node(label: str, face: str = "white", width: float = THIN) -> Line2D:
    return _mark("o", label, ms=7, mew=width, markerfacecolor=face)


def _mark(marker: str, label: str, **style: Any) -> Line2D:
    return Line2D([], [], color="black", marker=marker, ls="", label=label, **style)
