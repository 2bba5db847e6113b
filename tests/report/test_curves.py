"""What runs have kept of how they learnt."""

import json
import math
from typing import Any

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.report.curves import Curves, curve_records, read_curves
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.results import RunName

from .conftest import Folder


def learn(runs: Folder, variant: str, seed: int, *values: float | None) -> None:
    """Write a curve as training does: a validation every hundred steps, a record every fifty."""
    records: list[dict[str, Any]] = []
    for number, value in enumerate(values, 1):
        records.append({"step": 100 * number - 50, "train/loss": 1.0})
        records.append({"step": 100 * number, "train/loss": 1.0, "val/wer": value})
    path = run_folder(runs.path, variant, seed) / "curves.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def curves_of(runs: Folder) -> Curves:
    found = read_runs(runs.path)
    return read_curves(runs.path, tuple(found), found.expectation.metric)


def test_the_metric_is_read_where_validation_measured_it(runs: Folder) -> None:
    learn(runs, "soft", 1, 90.0, 5.5)
    found = curves_of(runs)
    assert found.metric == "val/wer"
    (curve,) = found.runs
    assert curve.run == RunName("soft", 1)
    assert curve.steps == (100, 200)
    assert curve.values == (90.0, 5.5)
    assert list(curve_records(found)) == [
        {"variant": "soft", "seed": 1, "step": 100, "val/wer": 90.0},
        {"variant": "soft", "seed": 1, "step": 200, "val/wer": 5.5},
    ]


def test_runs_without_a_curve_are_named(runs: Folder) -> None:
    learn(runs, "soft", 0, 1.0)
    runs.file("soft", 1).with_name("curves.jsonl").write_text('{"step": 50, "train/loss": 1}\n')
    assert curves_of(runs).lacking == (
        RunName("soft", 1),
        RunName("soft", 2),
        *(RunName("mocha_w2", seed) for seed in range(3)),
    )


def test_what_was_no_number_is_none(runs: Folder) -> None:
    learn(runs, "soft", 0, 90.0, None)
    assert math.isnan(curves_of(runs).runs[0].values[1])


@pytest.mark.parametrize("line", ['{"step": 200, "val/w', '{"val/wer": 1.0}', "[1]\n[2", "\xff"])
def test_half_a_line_is_named(runs: Folder, line: str) -> None:
    learn(runs, "soft", 0, 90.0)
    path = runs.file("soft", 0).with_name("curves.jsonl")
    path.write_bytes(path.read_bytes() + line.encode("latin-1"))
    with pytest.raises(UserError, match=r"soft/seed-0/curves.jsonl, line [34]: .* remove it"):
        curves_of(runs)


@pytest.mark.parametrize(
    ("step", "value"),
    [
        *((step, "1.0") for step in ("1e400", "-5", "2.5", "true", '"7"', "1" + "0" * 30)),
        *(("200", value) for value in ("1e300", "Infinity", '"4"', "true", "[]")),
    ],
)
def test_what_is_no_step_or_score_is_named(runs: Folder, step: str, value: str) -> None:
    path = runs.file("soft", 0).with_name("curves.jsonl")
    path.write_text(f'{{"step": {step}, "val/wer": {value}}}\n')
    with pytest.raises(UserError, match=r"curves.jsonl, line 1: no record of a step .* remove it"):
        curves_of(runs)
