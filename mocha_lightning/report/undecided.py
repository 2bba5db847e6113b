"""The figure that tells why hard decoding fails: scores against the undecided share of a scan."""

import math

from mocha_lightning.report.content import Report
from mocha_lightning.report.names import run_names
from mocha_lightning.report.results import Result, RunName


def undecided_files(report: Report) -> dict[str, bytes]:
    """Draw the figure for screens and for print.

    Nothing where fewer than two variants have a monotonic head, or runs with numbers.
    """
    metric = report.metric
    names = (metric.beside("undecided"), metric.name, metric.expected)
    having = [run for run in report.runs if all(name in run.metrics for name in names)]
    whole: list[Result] = []
    broken: list[Result] = []
    for run in having:
        (whole if all(map(math.isfinite, _values(run, names))) else broken).append(run)
    if len({run.variant for run in whole}) < 2:
        return {}
    # Half a second to import, and needed only where there is something to draw.
    from mocha_lightning.pictures.figure import pdf, png
    from mocha_lightning.pictures.undecided import DOTS_AN_INCH, Scored, draw_undecided

    figure = draw_undecided(
        [Scored(run.variant, *_values(run, names)) for run in whole],
        metric.name + (" (%)" if metric.in_per_cent else ""),
        errors=metric.in_per_cent and metric.mode == "min",
        left_out=run_names(RunName(run.variant, run.seed) for run in broken),
    )
    return {"undecided.png": png(figure, DOTS_AN_INCH), "undecided.pdf": pdf(figure)}


def _values(run: Result, names: tuple[str, ...]) -> list[float]:
    return [run.metrics[name].value for name in names]
