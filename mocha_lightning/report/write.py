"""From a folder of runs to the files of a report."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path

import pandas as pd
from pydantic import TypeAdapter

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import write_whole
from mocha_lightning.report.markdown import markdown
from mocha_lightning.report.pictures import alignments_png, word_alignment_files
from mocha_lightning.report.reordering import reordering_files, reordering_records
from mocha_lightning.report.results import Result, read_runs
from mocha_lightning.report.statistics import Comparison
from mocha_lightning.report.tables import ComparisonRow, Report, build_report
from mocha_lightning.report.texts import read_texts


def write_report(runs_folder: Path, reports_folder: Path) -> Report:
    """Report on the experiment in `runs/<experiment>`, finished or not.

    Writes `reports/<experiment>/`: `table.md` for reading; `table.csv` (a row for each variant),
    `comparisons.csv` and `runs.csv` (a row for each run) with every digit; `results.json` with
    all of that and the runs' results as they were read; `reordering.csv` and its figure, where the
    test set's documents are told in other orders than their own; in `figures` also
    `alignments.png` and `word-alignments.png` (`.pdf` too), where runs have kept what they attend
    to. Each file appears whole or not at all.

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
    figures = {
        **reordering_files(report),
        "alignments.png": alignments_png(runs_folder, report.runs),
        **word_alignment_files(runs_folder, report.runs),
    }
    drawn = {name: picture for name, picture in figures.items() if picture is not None}
    files: dict[str, str | bytes] = {
        **{f"figures/{name}": picture for name, picture in drawn.items()},
        "table.md": markdown(report, drawn),
        "table.csv": _csv(asdict(row) for row in report.variants),
        "comparisons.csv": _csv(map(_comparison_record, report.comparisons), _COMPARISON_COLUMNS),
        "runs.csv": _csv(_run_record(run) for run in report.runs),
        **(
            {"reordering.csv": _csv(reordering_records(report))}
            if "reordering.png" in drawn
            else {}
        ),
        "results.json": TypeAdapter(Report).dump_json(report, indent=2).decode() + "\n",
    }
    folder = reports_folder / report.experiment
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_whole(folder / name, content)
    except OSError as error:
        raise UserError(
            f"{folder}: cannot write the report: {error.strerror}; "
            "free the place or choose another folder, the runs are untouched"
        ) from error
    return report


def _csv(records: Iterable[Mapping[str, object]], columns: list[str] | None = None) -> str:
    """An absent figure is an empty cell; one that is not a number says NaN.

    The columns need be named where there may be no record.
    """
    frame = pd.DataFrame(
        (
            {
                key: "NaN" if isinstance(value, float) and math.isnan(value) else value
                for key, value in record.items()
            }
            for record in records
        ),
        columns=columns,
        # Else a column of whole numbers with a gap turns into 3.0.
        dtype=object,
    )
    return frame.to_csv(index=False, lineterminator="\n")


_INTERVALS = ("interval", "hedges_g_interval")
_FIGURES = [field.name for field in fields(Comparison) if field.name not in _INTERVALS]
_ENDS = [f"{name}_{end}" for name in _INTERVALS for end in ("low", "high")]
_COMPARISON_COLUMNS = ["a", "b", *_FIGURES, "holm_p", *_ENDS, "verdict"]


def _comparison_record(row: ComparisonRow) -> dict[str, object]:
    figures = asdict(row.comparison) if row.comparison else {}
    ends = [end for name in _INTERVALS for end in figures.pop(name, None) or (None, None)]
    return {
        "a": row.a,
        "b": row.b,
        **figures,
        "holm_p": row.holm_p,
        **dict(zip(_ENDS, ends, strict=True)),
        "verdict": row.verdict,
    }


def _run_record(run: Result) -> dict[str, object]:
    return {
        "variant": run.variant,
        "seed": run.seed,
        **{name: metric.value for name, metric in run.metrics.items()},
        "best_step": run.best_step,
        "steps": run.steps,
        "parameters": run.parameters,
        "config_hash": run.config_hash,
        "data_sha256": run.data.sha256,
        "commit": run.provenance.commit,
        "dirty": run.provenance.dirty,
        "threads": run.provenance.threads,
        "started": run.provenance.started,
        "seconds": run.provenance.seconds,
        "peak_memory_mib": run.provenance.peak_memory_mib,
    }
