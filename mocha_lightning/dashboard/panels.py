"""The panels of an experiment: of what its runs have logged, and of nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wandb_workspaces.reports.v2 import (
    BarPlot,
    Config,
    Layout,
    LinePlot,
    MediaBrowser,
    Metric,
    ParallelCoordinatesPlot,
    ParallelCoordinatesPlotColumn,
    ScatterPlot,
    SummaryMetric,
    WeavePanelSummaryTable,
)

from mocha_lightning.dashboard.logged import ATTENTION, SEED, VARIANT, Logged
from mocha_lightning.report.measures import NAMES, measures_beside

Panel: TypeAlias = (
    BarPlot
    | LinePlot
    | MediaBrowser
    | ParallelCoordinatesPlot
    | ScatterPlot
    | WeavePanelSummaryTable
)

BY_VARIANT = Metric("JobType")
STEP = "step"
MECHANISM = {f"{ATTENTION}chunk_size": "w", f"{ATTENTION}offset": "r"}
"""Columns that not every mechanism has, and what the paper calls them."""
LATENCIES = {
    "latency_median": "Latency, median (ms)",
    "latency_p90": "Latency of 90 % of the symbols (ms)",
    "shown_latency_median": "Word shown, median (ms)",
    "shown_latency_p90": "Word shown, 90 % (ms)",
}
LOSSES = ("train/loss", "val/loss")
WHOLE_WIDTH = 24
"""Of a report's page, in W&B's units."""


@dataclass(frozen=True)
class Section:
    """Panels under a heading; there is one at least."""

    name: str
    panels: list[Panel]


def sections(logged: Logged) -> list[Section]:
    """Make the panels, those that have nothing to show left out."""
    metric = logged.metric
    texts = [metric.beside(name) for name in measures_beside(metric.name) if name in NAMES]
    latencies = {metric.beside(name): title for name, title in LATENCIES.items()}
    found = {
        "Learning": _curves(logged, [metric.validation, *LOSSES]),
        "Scores": [
            *_bars(logged, {metric.name: metric.name}),
            *_every_run(logged),
            *_bars(logged, {name: _title(name) for name in texts if name != metric.name}),
        ],
        "Undecided share": _undecided(logged),
        "Latency": _bars(logged, latencies),
        "Mechanism": _mechanism(logged),
        "Alignments": _alignments(logged),
        "Predictions": _predictions(logged),
    }
    made = {name: list(panels) for name, panels in found.items()}
    return [Section(name, panels) for name, panels in made.items() if panels]


def _title(score: str) -> str:
    return NAMES.get(score.rpartition("/")[2], score)


def _curves(logged: Logged, names: Sequence[str]) -> Iterator[Panel]:
    """A line for each variant, the mean over its runs, in a band from the least to the greatest."""
    for name in names:
        if name in logged.curves:
            yield LinePlot(
                title=name,
                x=STEP,
                y=[name],
                groupby=BY_VARIANT,
                groupby_aggfunc="mean",
                groupby_rangefunc="minmax",
                max_runs_to_show=logged.runs,
            )


def _bars(logged: Logged, titles: dict[str, str]) -> Iterator[Panel]:
    """A bar for each variant, the mean over its runs, with their range."""
    for name, title in titles.items():
        if name in logged.scores:
            yield BarPlot(
                title=title,
                metrics=[name],
                groupby=BY_VARIANT,
                groupby_aggfunc="mean",
                groupby_rangefunc="minmax",
                max_bars_to_show=logged.runs,
            )


def _every_run(logged: Logged) -> Iterator[Panel]:
    """Each run's score: a point above its seed, and a line from its variant."""
    name = logged.metric.name
    if name in logged.scores:
        yield ScatterPlot(title=f"{name}, every run", x=Config(SEED), y=SummaryMetric(name))
        yield _parallel(f"{name}, every run by variant", [VARIANT], logged)


def _undecided(logged: Logged) -> Iterator[Panel]:
    share, metric = logged.metric.beside("undecided"), logged.metric
    yield from _bars(logged, {share: "Undecided share of the scan"})
    if {share, metric.name} <= logged.scores:
        yield ScatterPlot(
            title=f"{metric.name} against the undecided share",
            x=SummaryMetric(share),
            y=SummaryMetric(metric.name),
        )
    yield from _bars(logged, {metric.expected: f"{metric.name} under expected attention"})
    yield from _curves(logged, ["val/undecided"])


def _mechanism(logged: Logged) -> Iterator[Panel]:
    """The score by w, r and whatever else runs differ in; a run without one of these is not in it.

    So what some lack is left out, but for w and r.
    """
    columns = [column for column in MECHANISM if column in logged.columns]
    others = [column for column in logged.varying if column not in columns]
    if logged.metric.name in logged.scores and (columns or others):
        title = f"{logged.metric.name} by what variants differ in"
        yield _parallel(title, [VARIANT, *columns, *others], logged)


def _parallel(title: str, columns: Sequence[str], logged: Logged) -> Panel:
    """A line for each run, from its configuration to its score."""
    return ParallelCoordinatesPlot(
        title=title,
        columns=[
            *(
                ParallelCoordinatesPlotColumn(Config(column), display_name=MECHANISM.get(column))
                for column in columns
            ),
            ParallelCoordinatesPlotColumn(SummaryMetric(logged.metric.name)),
        ],
        layout=Layout(w=WHOLE_WIDTH, h=8),
    )


def _alignments(logged: Logged) -> Iterator[Panel]:
    for name in logged.pictures:
        yield MediaBrowser(
            title=name,
            media_keys=[name],
            mode="grid",
            grid_x_axis="step",
            grid_y_axis="run",
            layout=Layout(w=WHOLE_WIDTH, h=14),
        )


def _predictions(logged: Logged) -> Iterator[Panel]:
    for name in logged.tables:
        yield WeavePanelSummaryTable(table_name=name, layout=Layout(w=WHOLE_WIDTH, h=12))
