"""One page over all reports, `reports/index.html`."""

from collections.abc import Mapping, Sequence

import pandas as pd

from mocha_lightning.report import layout
from mocha_lightning.report.content import Report
from mocha_lightning.report.page.templates import template
from mocha_lightning.report.shared import shared_runs
from mocha_lightning.report.sweep import layout as sweep_layout
from mocha_lightning.report.sweep.content import SweepReport


def overall_page(
    finished: Sequence[Report],
    sweeps: Sequence[SweepReport],
    unreadable: Sequence[str],
    others: Mapping[str, str],
    origin: str,
) -> str:
    """Put the verdicts and scores of all experiments on one page, with links to their reports.

    Args:
        finished: of the experiments that have a report.
        sweeps: those that have a report.
        unreadable: why others have none.
        others: further files beside the reports, and what each of them holds.
        origin: the line that says how the page is made.
    """
    return template("overall.html").render(
        finished=finished,
        sweeps=sweeps,
        shared=shared_runs(finished),
        unreadable=unreadable,
        others=others,
        origin=origin,
        layout=layout,
        sweep_layout=sweep_layout,
        scored=_scored,
    )


def _scored(report: Report) -> pd.DataFrame:
    return layout.variant_table(report).drop(columns=[*layout.COST], errors="ignore")
