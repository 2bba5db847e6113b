"""The figures of the page, each with what it shows in words and where its numbers are."""

import base64
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mocha_lightning.report import layout
from mocha_lightning.report.content import Report
from mocha_lightning.report.curves import Curves
from mocha_lightning.report.formats import printable
from mocha_lightning.report.markdown import FIGURES
from mocha_lightning.report.names import run_names
from mocha_lightning.report.results import RunName


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure of the page.

    Attributes:
        heading: of its section.
        picture: an element.
        says: what the picture is of, for those who cannot see it.
        caption: what points, lines and bands are, and how many runs are behind them.
        numbers: files beside the page that hold the same as numbers.
        wide: it can be read at its own size only, so that a narrow window scrolls over it.
    """

    heading: str
    picture: Markup
    says: str
    caption: str
    numbers: tuple[str, ...] = ()
    wide: bool = False


def points(report: Report) -> Drawing:
    """Every run's score, a row for each variant."""
    # Half a second to import, and needed only where there is something to draw.
    from mocha_lightning.pictures.points import Points, draw_points
    from mocha_lightning.pictures.themed import svg

    values: dict[str, list[float]] = {row.variant: [] for row in report.variants}
    for run in report.runs:
        values[run.variant].append(run.metrics[report.metric.name].value)
    rows = [
        Points(
            printable(row.variant),
            values[row.variant],
            row.mean,
            (row.mean_low, row.mean_high)
            if row.mean_low is not None and row.mean_high is not None
            else None,
        )
        for row in report.variants
    ]
    measured = layout.measured(report)
    broken = _without_a_number(report)
    crosses = (
        f" A cross at the right edge stands for a run without a number: {broken}." if broken else ""
    )
    return Drawing(
        heading="Every run",
        picture=Markup(svg(draw_points(rows, f"{measured} ({_better(report)})"), "points")),
        says=f"{measured} of every run, a row of points for each variant",
        caption=(
            f"{measured}; {layout.better(report)} is better. A point is a run; how high it lies in "
            "its row means nothing. The diamond below the points is their mean, the bar the mean's "
            "95 % interval (Student's t over the runs; none of a single run), which may go on "
            "beyond the edge. Points of one seed are not joined, since the tests of this report do "
            "not pair them. "
            f"N: {', '.join(f'{row.variant} {row.n}' for row in report.variants)}." + crosses
        ),
        numbers=("runs.csv", "table.csv"),
    )


def learning(report: Report, curves: Curves) -> Drawing | None:
    """The runs' learning curves; None where none has kept any."""
    if not curves.runs:
        return None
    from mocha_lightning.pictures.learning import Line, draw_learning, is_wide, points_a_line
    from mocha_lightning.pictures.themed import svg

    lines: dict[str, list[Line]] = {}
    for curve in curves.runs:
        name = printable(curve.run.variant)
        lines.setdefault(name, []).append(Line(curve.steps, curve.values))
    every = [line for each in lines.values() for line in each]
    most = points_a_line(len(every))
    unit = ", in per cent" if report.metric.in_per_cent else ""
    # A score that grows towards 100 needs no closer look at where it began.
    logarithmic = report.metric.mode == "min" and is_wide(every)
    axis = " The vertical axis is logarithmic." if logarithmic else ""
    thinned = any(len(line.steps) > most for line in every)
    lacking = f" Runs that have kept no curve: {run_names(curves.lacking)}."
    return Drawing(
        heading="Learning curves",
        picture=Markup(
            svg(draw_learning(lines, f"{curves.metric}{unit}", logarithmic), "learning")
        ),
        says=f"{curves.metric} against training step, a panel for each variant",
        caption=(
            f"{curves.metric}{unit}, on the validation set, against training steps; "
            f"{layout.better(report)} is better.{axis} A panel is a variant: its thin lines are "
            "its runs, the thick line is their mean at those steps where all of them have a "
            "number, the faint lines are the means of the other variants. "
            f"N: {', '.join(f'{name} {len(each)}' for name, each in lines.items())}."
            + (f" Of each line {most} points are drawn." if thinned else "")
            + (lacking if curves.lacking else "")
        ),
        numbers=("curves.csv",),
    )


def pictures(figures: Mapping[str, bytes]) -> Iterator[Drawing]:
    """The pictures that are files, too."""
    for name, (heading, says, about) in FIGURES.items():
        if name in figures:
            data = base64.b64encode(figures[name]).decode()
            yield Drawing(
                heading=heading,
                picture=Markup('<img src="data:image/png;base64,{}" alt="{}">').format(data, says),
                says=says,
                wide=True,
                caption=about,
                numbers=(f"figures/{name}",),
            )


def _without_a_number(report: Report) -> str:
    broken: Sequence[RunName] = [
        RunName(run.variant, run.seed)
        for run in report.runs
        if math.isnan(run.metrics[report.metric.name].value)
    ]
    return run_names(broken)


def _better(report: Report) -> str:
    arrow = "\N{LEFTWARDS ARROW}" if report.metric.mode == "min" else "\N{RIGHTWARDS ARROW}"
    return f"{arrow} better"
