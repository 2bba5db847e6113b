"""Why hard decoding fails: scores under both kinds of attention against what is left undecided."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

Fill = Literal["full", "none"]
INCHES = (6.2, 4.2)
DOTS_AN_INCH = 200
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's, which the colour-blind tell apart."""
MARKERS = "os^vDh<>"
FULL_POINTS, HOLLOW_POINTS = 4.0, 8.0
ROOM = 1.05
"""Of an axis, beyond the furthest point."""
EXPECTED, HARD = "expected attention", "hard attention"
LINEAR_BELOW = 1.0
"""Per cent. From here on a scale of errors is logarithmic; 0 must have its place too."""
ROUND = (0, 1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Scored:
    """A run with a monotonic head.

    Attributes:
        variant: its variant's name.
        undecided: the share of its scan that the head does not decide, from 0 to 1.
        hard: its score under hard attention.
        expected: the same under expected attention.
    """

    variant: str
    undecided: float
    hard: float
    expected: float


def draw_undecided(runs: Sequence[Scored], score: str, errors: bool, left_out: str = "") -> Figure:
    """Draw a point for each run under hard attention, and a hollow one under expected attention.

    A line joins the two: it is what the head loses by not deciding.

    Args:
        runs: in the legend's order of variants.
        score: what the axis calls the score.
        errors: whether it counts errors in per cent, and is drawn on a logarithmic scale.
        left_out: names of the runs that have no numbers, to be told below.
    """
    with matplotlib.rc_context({"font.size": 8, "axes.linewidth": 0.7}):
        figure = Figure(figsize=INCHES, layout="constrained")
        panel = figure.subplots()
        panel.spines[["top", "right"]].set_visible(False)
        variants: dict[str, list[Scored]] = {}
        for run in runs:
            variants.setdefault(run.variant, []).append(run)
        looks = dict(zip(variants, zip(cycle(COLOURS), cycle(MARKERS), strict=False), strict=False))
        for variant, scored in variants.items():
            _draw_runs(panel, scored, *looks[variant])
        if errors:
            _scale_errors(panel, max(max(run.hard, run.expected) for run in runs))
        panel.set_xlim(0, max(1.0, *(ROOM * 100 * run.undecided for run in runs)))
        panel.set_xlabel("undecided share of the head's scan (%)")
        panel.set_ylabel(score)
        panel.grid(lw=0.4, color="0.9")
        panel.set_axisbelow(True)
        handles = [_mark(*look, label=variant) for variant, look in looks.items()]
        handles.append(_mark("0.4", "o", label=HARD))
        handles.append(_mark("0.4", "o", fill="none", label=EXPECTED))
        figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=7.5)
        if left_out:
            figure.supxlabel(f"without numbers: {left_out}", fontsize=7.5)
    return figure


def _draw_runs(panel: Axes, runs: Sequence[Scored], colour: str, marker: str) -> None:
    """Draw those of a variant as three objects: of thousands, matplotlib is slow."""
    at = [100 * run.undecided for run in runs]
    expected, hard = [run.expected for run in runs], [run.hard for run in runs]
    panel.vlines(at, expected, hard, color=colour, lw=0.8, alpha=0.5)
    panel.add_line(_mark(colour, marker, at, expected, "none"))
    panel.add_line(_mark(colour, marker, at, hard))


def _scale_errors(panel: Axes, most: float) -> None:
    panel.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.4)
    ticks = [each for each in ROUND if each <= most] or [0]
    higher = [each for each in ROUND if each > most]
    ticks += higher[:1]
    panel.set_yticks(ticks, [str(each) for each in ticks])
    panel.set_yticks([], minor=True)
    panel.set_ylim(0, max(most, ticks[-1]))


def _mark(
    colour: str,
    marker: str,
    at: Sequence[float] = (),
    score: Sequence[float] = (),
    fill: Fill = "full",
    label: str = "",
) -> Line2D:
    return Line2D(
        at,
        score,
        color=colour,
        marker=marker,
        ls="",
        # A full mark has its place within a hollow one: both are seen where the scores are equal.
        ms=FULL_POINTS if fill == "full" else HOLLOW_POINTS,
        mew=0.9,
        fillstyle=fill,
        clip_on=False,
        label=label,
    )
