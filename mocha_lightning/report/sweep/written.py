"""A sweep's written report: its `results.json` is all that it says."""

from pathlib import Path

from pydantic import TypeAdapter

from mocha_lightning.experiment.schema import check_known
from mocha_lightning.report.strict import read_json
from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.sweep.write import TRIALS
from mocha_lightning.report.written import REPORT_FACTS

_REPORT = TypeAdapter(SweepReport)
_REMEDY = "no report that can be read again; make it anew from its trials (mocha-lightning report)"


def is_sweep_report(folder: Path) -> bool:
    """Whether `reports/<name>` is of a sweep, which alone has a table of trials."""
    return (folder / TRIALS).exists()


def read_sweep_report(folder: Path) -> SweepReport:
    """Read what was written of a sweep whose trials may lie elsewhere.

    Raises:
        UserError: `results.json` cannot be read, is no sweep's, or is of a newer schema.
    """
    path = folder / REPORT_FACTS
    report = read_json(path, _REPORT, _REMEDY, ":")
    for schema in (report.schema, *(run.schema for run in report.runs)):
        check_known(path, schema)
    return report
