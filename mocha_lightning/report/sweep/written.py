"""A sweep's report that stands: its `results.json` is all that it says."""

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.schema import check_known
from mocha_lightning.report.problems import check_readable, first_problem
from mocha_lightning.report.sweep.tables import SweepReport
from mocha_lightning.report.sweep.write import RESULTS, TRIALS

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
    path = folder / RESULTS
    try:
        text = path.read_bytes()
        report = _REPORT.validate_json(text, strict=True)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable") from error
    except ValidationError as error:
        check_readable(path, text, _REMEDY)
        raise UserError(f"{path}: {first_problem(error)}: {_REMEDY}") from error
    for schema in (report.schema, *(run.schema for run in report.runs)):
        check_known(path, schema)
    return report
