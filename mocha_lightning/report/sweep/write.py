"""From a sweep's folder to the files of its report."""

from pathlib import Path

from pydantic import TypeAdapter

from mocha_lightning.report.csv_rows import csv
from mocha_lightning.report.sweep.content import SweepReport, build_sweep_report
from mocha_lightning.report.sweep.drawings import draw_sweep
from mocha_lightning.report.sweep.layout import trial_records
from mocha_lightning.report.sweep.markdown import sweep_markdown
from mocha_lightning.report.sweep.page import sweep_page
from mocha_lightning.report.sweep.reading import read_sweep
from mocha_lightning.report.write import PAGE, write_folder
from mocha_lightning.report.written import REPORT_FACTS

TRIALS = "trials.csv"
FILES = {
    "table.md": "the tables and sentences of this page, to read as text",
    TRIALS: "a row for each trial, with every digit",
    REPORT_FACTS: "all of that, and each run's result as it was read",
}
"""What lies beside the page and the folder of figures."""


def write_sweep_report(folder: Path, reports: Path) -> SweepReport:
    """Report on the sweep in `runs/<sweep>`, over or not, from its files alone.

    Writes `reports/<sweep>/`: `index.html`, one page for a browser that loads nothing; `table.md`,
    the same as text; `trials.csv` (a row for each trial) and `results.json` with every digit; and
    the pictures in `figures`. All of it appears, or what was there before stays.

    Args:
        folder: `runs/<sweep>`; its name is the sweep's.
        reports: the folder of all reports; the sweep's own is made inside it.

    Returns:
        What was written, for `print_sweep_report`.

    Raises:
        UserError: a file cannot be trusted, no trial is over, or the report cannot be written.
    """
    report = build_sweep_report(read_sweep(folder))
    drawings = draw_sweep(report)
    files: dict[str, str | bytes] = {
        **{f"figures/{name}": picture for name, picture in drawings.files.items()},
        "table.md": sweep_markdown(report, drawings),
        TRIALS: csv(trial_records(report)),
        REPORT_FACTS: TypeAdapter(SweepReport).dump_json(report, indent=2).decode() + "\n",
    }
    # The page is the last to appear, since it tells of the others.
    whole = {PAGE: sweep_page(report, drawings, FILES), **files}
    write_folder(reports / report.name, whole)
    return report
