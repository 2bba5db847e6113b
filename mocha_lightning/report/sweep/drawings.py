"""The pictures of a sweep, each with what it shows in words, and why others are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mocha_lightning.report.formats import printable
from mocha_lightning.report.page.drawings import Drawing
from mocha_lightning.report.sweep import layout
from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.sweep.space import Dimension

if TYPE_CHECKING:
    from optuna import Study

    from mocha_lightning.pictures.search import Picture, Slice

MOST_PAIRS = 6
"""Of parameters, whose contours are drawn."""
FOREMOST = ("chunk_size", "offset")
"""The names of w and r, of which pairs are drawn first."""


@dataclass(frozen=True, kw_only=True)
class Drawings:
    """Pictures of a sweep.

    Attributes:
        shown: for the page.
        files: by their names in the folder `figures`.
        left_out: by heading, why there is none.
    """

    shown: tuple[Drawing, ...]
    files: dict[str, bytes]
    left_out: dict[str, str]


def draw_sweep(report: SweepReport) -> Drawings:
    """Draw what a sweep has to show: Optuna's own pictures, and every run of every parameter."""
    # A second to import, and needed only where a sweep is drawn.
    from mocha_lightning.pictures.figure import png
    from mocha_lightning.pictures.search import FILE, PAGE
    from mocha_lightning.pictures.themed import svg

    view = _View(report)
    shown, files, left_out = [], {}, {}
    for heading, obstacle, draw in (
        ("History", view.few, _history),
        ("Slices", view.without_runs, _slices),
        ("Importance", view.one_parameter or view.level, _importance),
        ("Contours", view.one_parameter or view.level, _contours),
        ("Parallel coordinates", view.one_parameter or view.level, _parallel),
        ("Intermediate values", view.without_validations, _intermediate),
    ):
        if obstacle:
            left_out[heading] = obstacle
            continue
        for each in draw(view):
            each.picture.paint(FILE)
            files[f"{each.name}.png"] = png(each.picture.figure)
            each.picture.paint(PAGE)
            shown.append(
                Drawing(
                    heading=each.heading or heading,
                    picture=Markup(svg(each.picture.figure, each.name)),
                    says=each.says,
                    caption=each.caption,
                    numbers=(f"figures/{each.name}.png",),
                )
            )
    return Drawings(shown=tuple(shown), files=files, left_out=left_out)


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    """A picture, its file's name, what it is of, and what to know of it."""

    name: str
    picture: Picture
    says: str
    caption: str
    heading: str = ""


@dataclass(frozen=True)
class _View:
    """What several pictures need to know of a report, and what stands in their way."""

    report: SweepReport

    @cached_property
    def study(self) -> Study:
        from mocha_lightning.report.sweep.study import rebuilt

        return rebuilt(self.report)

    @property
    def score(self) -> str:
        return printable(layout.measured(self.report))

    @property
    def about(self) -> str:
        return f"{self.score}; {layout.better(self.report)} is better."

    @property
    def places(self) -> dict[int, int]:
        """Of trials in the study, by their numbers."""
        return {trial.number: place for place, trial in enumerate(self.report.trials)}

    @cached_property
    def values(self) -> list[float]:
        return [trial.value for trial in self.report.trials if trial.value is not None]

    @cached_property
    def varied(self) -> list[Dimension]:
        """The dimensions of which complete trials have different values; w and r come first."""
        complete = [trial for trial in self.report.trials if trial.value is not None]
        varied = [
            each
            for each in self.report.definition.dimensions
            if len({repr(trial.values[each.path]) for trial in complete}) > 1
        ]
        return sorted(varied, key=lambda each: each.path.rpartition(".")[2] not in FOREMOST)

    @property
    def few(self) -> str | None:
        return None if len(self.values) > 1 else "fewer than two trials are complete"

    @property
    def one_parameter(self) -> str | None:
        if self.few or len(self.varied) > 1:
            return self.few
        return "there are no two parameters of which complete trials have different values"

    @property
    def level(self) -> str | None:
        return "all complete trials have one value" if len(set(self.values)) == 1 else None

    @property
    def without_runs(self) -> str | None:
        some = any(trial.scores for trial in self.report.trials)
        return None if some else "no finished run has a value"

    @property
    def without_validations(self) -> str | None:
        shown = any(trial.intermediate for trial in self.report.trials if trial.state != "failed")
        return None if shown else "no trial that is over has told of a validation on its way"


def _history(view: _View) -> Iterator[_Drawn]:
    from mocha_lightning.pictures.search import draw_history

    yield _Drawn(
        name="history",
        picture=draw_history(view.study, view.score),
        says=f"{view.score} of each complete trial in their order, and the best so far",
        caption=(
            f"{view.about} A point is a complete trial, the mean over its seeds; the line is the "
            "best so far. Trials are in the order of their beginnings."
        ),
    )


def _slices(view: _View) -> Iterator[_Drawn]:
    from mocha_lightning.pictures.search import draw_slices

    slices = [_slice(each, view.report) for each in view.report.definition.dimensions]
    yield _Drawn(
        name="slices",
        picture=draw_slices(slices, view.score, view.report.definition.metric.mode == "min"),
        says=f"{view.score} of every run against the value of each parameter",
        caption=(
            f"{view.about} A full point is a run of a complete trial, with one seed; a dash is a "
            "complete trial's mean; a hollow point is a finished run of a trial that was given up "
            "or failed; a cross at the worse edge is a run that diverged. Points of one of a few "
            "values stand side by side to be told apart. Other parameters differ from point to "
            "point."
        ),
    )


def _slice(dimension: Dimension, report: SweepReport) -> Slice:
    from mocha_lightning.pictures.search import Slice

    def seen(complete: bool) -> list[tuple[Any, float]]:
        return [
            (trial.values[dimension.path], score)
            for trial in report.trials
            if (trial.state == "complete") == complete
            for score in trial.scores
        ]

    tried = {repr(value): value for value, _ in (*seen(True), *seen(False))}
    diverged = [
        trial.values[dimension.path]
        for trial in report.trials
        for run in trial.runs
        if run.value is None
    ]
    tried |= {repr(value): value for value in diverged}
    values = dimension.choices
    if not values and dimension.values:
        values = tuple(sorted(tried.values()))
    return Slice(
        name=printable(dimension.name),
        values=values,
        logarithmic=dimension.log,
        runs=seen(True),
        partial=seen(False),
        means=[
            (trial.values[dimension.path], trial.value)
            for trial in report.trials
            if trial.value is not None
        ],
        diverged=diverged,
    )


def _importance(view: _View) -> Iterator[_Drawn]:
    from mocha_lightning.pictures.search import draw_importances

    yield _Drawn(
        name="importance",
        picture=draw_importances(view.study),
        says="A bar for the importance of each parameter",
        caption=(
            "By PED-ANOVA, as Optuna does it: how far what a parameter is set to decides whether "
            "a complete trial is among the best tenth; together they make 1. Of few trials a tenth "
            f"is one or two, and this is little more than a guess: here N = {len(view.values)}. It "
            "does not tell which value is good."
        ),
    )


def _contours(view: _View) -> Iterator[_Drawn]:
    from mocha_lightning.pictures.search import draw_contour

    pairs = list(combinations(view.varied, 2))
    more = len(pairs) - MOST_PAIRS
    for place, (x, y) in enumerate(pairs[:MOST_PAIRS], 1):
        names = (x.name, y.name)
        pair = f"{printable(x.name)} and {printable(y.name)}"
        yield _Drawn(
            heading=f"Contour of {pair}",
            name=f"contour-{place}",
            picture=draw_contour(view.study, names, view.score),
            says=f"{view.score} over {pair}, in colours between the complete trials",
            caption=(
                f"{view.about} Points are complete trials, and only there something was measured: "
                "the colours between are interpolated."
                + (" Other parameters differ from point to point." if len(pairs) > 1 else "")
                + (f" {more} more pairs are not drawn." if place == MOST_PAIRS and more > 0 else "")
            ),
        )


def _parallel(view: _View) -> Iterator[_Drawn]:
    from mocha_lightning.pictures.search import draw_parallel

    found = view.report.standing
    near = found.near if found else None
    numbers = near.trials if near else (found.best,) if found else ()
    coloured = "are the settings within one standard error of the best" if near else "is the best"
    yield _Drawn(
        name="parallel",
        picture=draw_parallel(view.study, view.score, {view.places[each] for each in numbers}),
        says=f"A line for each complete trial through its {view.score} and its values",
        caption=(
            f"A line is a complete trial; the first axis is {view.about} The others are the "
            f"parameters. In colour {coloured}."
        ),
    )


def _intermediate(view: _View) -> Iterator[_Drawn]:
    from mocha_lightning.pictures.search import draw_intermediate

    found = view.report.standing
    best = view.places[found.best] if found else -1
    yield _Drawn(
        name="intermediate",
        picture=draw_intermediate(view.study, view.score, best),
        says=f"{view.score} of each trial against its training steps",
        caption=(
            f"{view.about} A line is a trial: after so many steps of all its runs, one after the "
            "other, the mean over its runs so far of the best validation so far. Dotted lines "
            "were pruned or diverged; the thick line is the best trial."
        ),
    )
