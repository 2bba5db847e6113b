"""From a folder of runs to the files of a report."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.whole_files import write_all
from mocha_lightning.report.content import Report, build_report
from mocha_lightning.report.csv_rows import COMPARISON_COLUMNS, comparison_record, csv, run_record
from mocha_lightning.report.curves import curve_records, read_curves
from mocha_lightning.report.latex import latex
from mocha_lightning.report.markdown import markdown
from mocha_lightning.report.page import page
from mocha_lightning.report.pictures import alignments_files, word_alignment_files
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.reordering import reordering_files, reordering_records
from mocha_lightning.report.texts import read_texts
from mocha_lightning.report.undecided import undecided_files
from mocha_lightning.report.written import REPORT_FACTS

PAGE = "index.html"
FILES = {
    "table.md": "the tables and sentences of this page, to read as text",
    "table.tex": "the table of scores for a paper, in LaTeX",
    "table.csv": "a row for each variant, with every digit",
    "comparisons.csv": "a row for each comparison, with every digit",
    "runs.csv": "a row for each run: scores, configuration's hash, data, commit, command",
    "curves.csv": "a row for each point of the learning curves",
    "reordering.csv": "a row for each variant and reordering distance",
    REPORT_FACTS: "all of that, and each run's result as it was read",
}
"""What lies beside the page, where there is something for it to hold."""


def write_report(runs_folder: Path, reports_folder: Path) -> Report:
    """Report on the experiment in `runs/<experiment>`, finished or not.

    Writes `reports/<experiment>/`: `index.html`, one page for a browser that loads nothing, with
    every run as a point, learning curves and where each number is from; `table.md`, the same
    tables and sentences as text; `table.tex` for a paper; `table.csv` (a row for each variant),
    `comparisons.csv`, `runs.csv` (a row for each run) and `curves.csv` with every digit;
    `results.json` with all of that and the runs' results as they were read; `reordering.csv` and
    its figure, where the test set's documents are told in other orders than their own; in
    `figures`, each as `.png` and `.pdf`, also `alignments` and `word-alignments`, where runs have
    kept what they attend to, and `undecided`, where variants have monotonic heads. All of it
    appears, or what was there before stays.

    Args:
        runs_folder: `runs/<experiment>`; the folder's name is the experiment's.
        reports_folder: the folder of all reports; the experiment's own is made inside it.

    Returns:
        What was written, for `print_report`.

    Raises:
        UserError: the runs cannot be trusted, none is finished, or the files cannot be written.
    """
    runs = read_runs(runs_folder)
    report = build_report(runs, read_texts(runs_folder, runs))
    curves = read_curves(runs_folder, report.runs, report.metric)
    figures = {
        **reordering_files(report),
        **undecided_files(report),
        **alignments_files(runs_folder, report.runs),
        **word_alignment_files(runs_folder, report.runs),
    }
    files: dict[str, str | bytes] = {
        **{f"figures/{name}": picture for name, picture in figures.items()},
        "table.md": markdown(report, figures),
        "table.tex": latex(report),
        "table.csv": csv(asdict(row) for row in report.variants),
        "comparisons.csv": csv(map(comparison_record, report.comparisons), COMPARISON_COLUMNS),
        "runs.csv": csv(map(run_record, report.runs)),
        **({"curves.csv": csv(curve_records(curves))} if curves.runs else {}),
        **(
            {"reordering.csv": csv(reordering_records(report))}
            if "reordering.png" in figures
            else {}
        ),
        REPORT_FACTS: TypeAdapter(Report).dump_json(report, indent=2).decode() + "\n",
    }
    beside = {name: holds for name, holds in FILES.items() if name in files}
    # The page is the last to appear, since it tells of the others.
    whole = {PAGE: page(report, curves, figures, beside), **files}
    write_folder(reports_folder / report.experiment, whole)
    return report


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write a report's files; the first is the last to appear.

    Raises:
        UserError: one cannot be written; those that were there are what they were.
    """
    try:
        write_all(folder, files)
    except OSError as error:
        raise UserError(
            f"{folder}: cannot write the report: {error.strerror}; "
            "free the place or choose another folder, the runs are untouched"
        ) from error
