"""How a search went: Optuna's pictures of a study in the suite's colours, and one of our own."""

import math
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator
from optuna import Study
from optuna.importance import PedAnovaImportanceEvaluator
from optuna.trial import FrozenTrial
from optuna.visualization import matplotlib as pictures

from mocha_lightning.pictures.learning import Line, is_wide
from mocha_lightning.pictures.points import GOLDEN
from mocha_lightning.pictures.themed import ACCENT, FAINT, INK, PAPER, STYLE, WIDTH_INCHES

HEIGHT_INCHES = 3.0
SLICE_INCHES = 2.3
COLUMNS = 2
SPREAD = 0.5
"""Share of a value's room over which its points are spread, so that none hides another."""


@dataclass(frozen=True)
class Colours:
    """Of what is written, of what stands back, of what is told, and of what is below it all."""

    ink: str
    faint: str
    accent: str
    paper: str


PAGE = Colours(INK, FAINT, ACCENT, PAPER)
"""Those of the page that a picture is put into."""
FILE = Colours("#1b1b1b", "#b9b9b9", "#0072b2", "#ffffff")
"""Those of a file of its own."""

Paint = Callable[[Colours], None]


@dataclass(frozen=True)
class Picture:
    """A figure that can be painted in other colours."""

    figure: Figure
    paint: Paint


@dataclass(frozen=True)
class Slice:
    """What is seen of one parameter.

    Attributes:
        name: the parameter's.
        values: those it can have, if they are few; else none, and the axis is one of numbers.
        logarithmic: whether that axis is.
        runs: value and score of every run of a complete trial.
        partial: the same of finished runs of other trials.
        means: value and mean of complete trials.
        diverged: values of the runs without a score.
    """

    name: str
    values: tuple[Any, ...]
    logarithmic: bool
    runs: Sequence[tuple[Any, float]]
    partial: Sequence[tuple[Any, float]]
    means: Sequence[tuple[Any, float]]
    diverged: Sequence[Any]


def draw_history(study: Study, score: str) -> Picture:
    """Draw each complete trial's value, and the best so far as a line."""
    panel = _optuna(lambda: pictures.plot_optimization_history(study, target_name=score))
    _scale(panel, [value for trial in study.trials if (value := trial.value) is not None])
    panel.set(xlabel="trial", ylabel=score)
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))

    def paint(colours: Colours) -> None:
        _paint(panel.figure, colours)
        for points in panel.collections:
            points.set(facecolor=colours.accent, edgecolor="none", alpha=0.8, sizes=[20])
        for line in panel.lines:
            line.set(color=colours.ink, alpha=1, linewidth=1.2, drawstyle="steps-post")

    return Picture(_sized(panel.figure), paint)


def draw_importances(study: Study) -> Picture:
    """Draw how much each parameter decides whether a trial is among the best tenth."""
    panel = _optuna(
        lambda: pictures.plot_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    )
    panel.set(xlabel="importance (PED-ANOVA)", ylabel="")

    def paint(colours: Colours) -> None:
        _paint(panel.figure, colours)
        for bar in panel.patches:
            bar.set(facecolor=colours.accent)
        for text in panel.texts:
            text.set(color=colours.ink)

    return Picture(_sized(panel.figure, 0.8 + 0.35 * len(panel.patches)), paint)


def draw_contour(study: Study, names: tuple[str, str], score: str) -> Picture:
    """Draw the score over two parameters, interpolated between the complete trials."""
    target, label = _target(study, score)
    panel = _optuna(
        lambda: pictures.plot_contour(study, [*names], target=target, target_name=label)
    )
    for each in panel.collections:
        # Thousands of corners, where a few points of colour are as good.
        if not isinstance(each, PathCollection):
            each.set_rasterized(True)
    points = [each for each in panel.collections if isinstance(each, PathCollection)]

    def paint(colours: Colours) -> None:
        _paint(panel.figure, colours)
        panel.grid(visible=False)
        for each in points:
            each.set(facecolor="black", edgecolor="white", linewidth=0.8, sizes=[16])

    return Picture(_sized(panel.figure), paint)


def draw_parallel(study: Study, score: str, near: Collection[int]) -> Picture:
    """Draw each complete trial as a line through its values, those near the best in colour."""
    target, label = _target(study, score)
    shown = [study.trials[index] for index in range(len(study.trials)) if index in near]
    scores = {(target or _value)(trial) for trial in shown}
    panel = _optuna(
        lambda: pictures.plot_parallel_coordinate(study, target=target, target_name=label)
    )
    figure = panel.figure
    for axes in figure.axes:
        # Of a colour bar that the lines have no use for.
        if axes.get_label() == "<colorbar>":
            axes.remove()
    (lines,) = (each for each in panel.collections if isinstance(each, LineCollection))
    near_best = [bool(segment[0][1] in scores) for segment in lines.get_segments()]
    lines.set_array(None)
    panel.set_xticks(panel.get_xticks(), [text.get_text() for text in panel.get_xticklabels()])
    panel.tick_params(axis="x", labelrotation=20)

    def paint(colours: Colours) -> None:
        _paint(figure, colours)
        for axes in figure.axes:
            axes.grid(visible=False)
            axes.spines[["left", "right"]].set_visible(True)
        lines.set(
            color=[colours.accent if each else colours.faint for each in near_best],
            linewidth=[1.6 if each else 0.8 for each in near_best],
        )

    return Picture(_sized(figure), paint)


def draw_intermediate(study: Study, score: str, best: int) -> Picture:
    """Draw what each trial showed on its way; the best one's line is thick.

    Args:
        study: some of its trials have shown anything.
        score: what the axis is called.
        best: the place of the best trial among them all; -1 where there is none.
    """
    panel = _optuna(lambda: pictures.plot_intermediate_values(study))
    values = [[*trial.intermediate_values.values()] for trial in study.trials]
    shown = [place for place, trial in enumerate(study.trials) if _is_drawn(trial)]
    _scale(panel, [value for place in shown for value in values[place]])
    panel.set(xlabel="training steps, of all its runs", ylabel=score)
    lines = dict(zip(shown, panel.lines, strict=True))

    def paint(colours: Colours) -> None:
        _paint(panel.figure, colours)
        for place, line in lines.items():
            complete = study.trials[place].state.name == "COMPLETE"
            line.set(
                color=colours.accent if place == best else colours.ink,
                alpha=1 if place == best else 0.45,
                linewidth=2 if place == best else 0.8,
                linestyle="-" if complete else ":",
                marker="" if len(values[place]) > 1 else "o",
                markersize=3,
                zorder=3 if place == best else 2,
            )

    return Picture(_sized(panel.figure), paint)


def draw_slices(slices: Sequence[Slice], score: str, lower_is_better: bool) -> Picture:
    """Draw, for each parameter, every run's score against its value, and the means of trials."""
    columns = min(COLUMNS, len(slices))
    rows = -(-len(slices) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, SLICE_INCHES * rows + 0.3), layout="constrained")
        panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
        figure.supylabel(score, fontsize=9)
    paints = [
        _draw_slice(panel, each, lower_is_better)
        for panel, each in zip(panels.flat, slices, strict=False)
    ]
    for unused in panels.flat[len(slices) :]:
        unused.axis("off")
    runs = [value for each in slices for _, value in (*each.runs, *each.partial)]
    _scale(panels.flat[0], runs)

    def paint(colours: Colours) -> None:
        _paint(figure, colours)
        for each in paints:
            each(colours)

    return Picture(figure, paint)


def _draw_slice(panel: Axes, each: Slice, lower_is_better: bool) -> Paint:
    places = {repr(value): place for place, value in enumerate(each.values)}
    panel.set_xlabel(each.name)
    if each.values:
        labels = [value if isinstance(value, str) else f"{value}" for value in each.values]
        panel.set_xticks(range(len(labels)), labels)
        panel.set_xlim(-0.6, len(labels) - 0.4)
    elif each.logarithmic:
        panel.set_xscale("log")

    def at(values: Sequence[Any], spread: float) -> list[float]:
        if not each.values:
            return [float(value) for value in values]
        # Steps of the golden ratio leave no two neighbours at one place.
        shifts = spread * ((np.arange(len(values)) * GOLDEN) % 1 - 0.5)
        return [places[repr(v)] + float(shift) for v, shift in zip(values, shifts, strict=True)]

    def plot(points: Sequence[tuple[Any, float]], spread: float, **style: Any) -> Any:
        values = [value for value, _ in points]
        return panel.plot(at(values, spread), [score for _, score in points], **style)[0]

    runs = plot(each.runs, SPREAD, marker="o", ls="", ms=3.6, mew=0, alpha=0.7)
    partial = plot(each.partial, SPREAD, marker="o", ls="", ms=3.6, mew=0.7, mfc="none")
    means = plot(each.means, 0, marker="_", ls="", ms=9, mew=1.2)
    # Nothing at all, drawn beyond the edge, would leave matplotlib's layout no room.
    crosses = []
    if each.diverged:
        worst = [1.0 if lower_is_better else 0.0] * len(each.diverged)
        crosses = panel.plot(
            at(each.diverged, SPREAD),
            worst,
            marker="x",
            ls="",
            ms=5,
            transform=panel.get_xaxis_transform(),
            clip_on=False,
        )

    def paint(colours: Colours) -> None:
        runs.set(color=colours.accent)
        partial.set(color=colours.accent)
        means.set(color=colours.ink)
        for cross in crosses:
            cross.set(color=colours.ink)

    return paint


def _optuna(draw: Callable[[], Any]) -> Axes:
    """One of Optuna's pictures, without what it leaves behind in matplotlib."""
    # No window opens, whatever screen there is.
    pyplot.switch_backend("agg")
    with warnings.catch_warnings(), matplotlib.rc_context(STYLE):
        # All of these pictures are experimental to Optuna, and it says so.
        warnings.simplefilter("ignore")
        panel: Axes = draw()
    assert isinstance(panel.figure, Figure)
    pyplot.close(panel.figure)
    return panel


def _target(study: Study, score: str) -> tuple[Callable[[FrozenTrial], float] | None, str]:
    """Of scores of which some are many times as large as others, Optuna is shown logarithms."""
    values = [trial.value for trial in study.trials if trial.value is not None]
    if min(values) <= 0 or not is_wide([Line(range(len(values)), values)]):
        return None, score
    return (lambda trial: math.log10(_value(trial))), f"log10 of {score}"


def _value(trial: FrozenTrial) -> float:
    assert trial.value is not None
    return trial.value


def _is_drawn(trial: FrozenTrial) -> bool:
    return bool(trial.intermediate_values) and trial.state.name in ("COMPLETE", "PRUNED")


def _scale(panel: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis of scores where only that shows the better ones."""
    if min(values, default=0) > 0 and is_wide([Line(range(len(values)), values)]):
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_locator(NullLocator())


def _sized(figure: Any, height: float = HEIGHT_INCHES) -> Figure:
    figure.set_layout_engine("tight")
    figure.set_size_inches(WIDTH_INCHES, height)
    assert isinstance(figure, Figure)
    return figure


def _paint(figure: Any, colours: Colours) -> None:
    """Take titles and legends away, which the page has, and give all else the colours."""
    figure.set_facecolor(colours.paper)
    for text in figure.texts:
        text.set_color(colours.ink)
    for panel in figure.axes:
        panel.set_facecolor("none")
        for side in ("left", "center"):
            panel.set_title("", loc=side)
        if legend := panel.get_legend():
            legend.remove()
        _paint_axes(panel, colours)


def _paint_axes(panel: Axes, colours: Colours) -> None:
    for name, spine in panel.spines.items():
        spine.set(color=colours.ink, linewidth=0.7)
        spine.set_visible(name in ("left", "bottom"))
    panel.tick_params(which="both", colors=colours.ink, labelsize=8, width=0.7)
    panel.grid(visible=True, color=colours.faint, linewidth=0.5)
    panel.set_axisbelow(True)
    for label in (panel.xaxis.label, panel.yaxis.label):
        label.set(color=colours.ink, fontsize=9)
