"""What the CSV files of a report hold, with every digit."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields

import pandas as pd

from mocha_lightning.report.content import ComparisonRow
from mocha_lightning.report.results import Result
from mocha_lightning.report.statistics import Comparison


def csv(records: Iterable[Mapping[str, object]], columns: list[str] | None = None) -> str:
    """Write a table in which an absent figure is an empty cell, and what is no number says NaN.

    Args:
        records: its rows.
        columns: need be named where there may be no row.
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
COMPARISON_COLUMNS = ["a", "b", *_FIGURES, "holm_p", "holm_detectable", *_ENDS, "verdict"]


def comparison_record(row: ComparisonRow) -> dict[str, object]:
    """All figures of a comparison."""
    figures = asdict(row.comparison) if row.comparison else {}
    ends = [end for name in _INTERVALS for end in figures.pop(name, None) or (None, None)]
    return {
        "a": row.a,
        "b": row.b,
        **figures,
        "holm_p": row.holm_p,
        "holm_detectable": row.holm_detectable,
        **dict(zip(_ENDS, ends, strict=True)),
        "verdict": row.verdict,
    }


def run_record(run: Result) -> dict[str, object]:
    """The scores of a run, and where they are from."""
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
        "hardware": run.provenance.hardware,
        "command": run.provenance.command,
    }
