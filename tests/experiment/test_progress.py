"""What is made of a ``progress.json``, whatever became of it."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from mocha_lightning.experiment.progress import Progress, read_progress, write_progress

WRITTEN = Progress(
    phase="training",
    step=7,
    steps=20,
    validation={"val/error": 0.5, "val/loss": math.inf},
    best={"val/error": 0.25},
    problem="none",
)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    write_progress(tmp_path, WRITTEN)
    seen = read_progress(tmp_path)
    assert seen.updated > 0
    assert replace(seen, updated=0.0) == WRITTEN


def test_a_score_that_is_no_number_is_read_again(tmp_path: Path) -> None:
    write_progress(tmp_path, Progress(validation={"val/error": math.nan}))
    assert math.isnan(read_progress(tmp_path).validation["val/error"])


def test_what_another_version_wrote_can_be_read(tmp_path: Path) -> None:
    content = {"phase": "training", "step": 3, "steps": 9, "unheard-of": 1}
    (tmp_path / "progress.json").write_text(json.dumps(content))
    assert read_progress(tmp_path) == Progress("training", 3, 9)


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"phase": "trai',
        "[]",
        "null",
        pytest.param("[" * 100_000, id="nested too deeply"),
        json.dumps({"phase": "training", "step": "7"}),
        json.dumps({"phase": 1}),
        json.dumps({"phase": "training", "validation": {"val/error": "low"}}),
        json.dumps({"phase": "training", "updated": None}),
        json.dumps({"phase": "training", "step": -4}),
        pytest.param(json.dumps({"phase": "training", "steps": 10**400}), id="too many steps"),
        json.dumps({"phase": "training", "seconds": math.inf}),
        json.dumps({"phase": "training", "seconds": math.nan}),
        json.dumps({"phase": "training", "seconds": -5.0}),
    ],
)
def test_a_file_of_no_use_is_taken_for_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text(content)
    assert read_progress(tmp_path) == Progress()


def test_bytes_that_are_no_text_are_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_bytes(b"\xff\xfe{}")
    assert read_progress(tmp_path) == Progress()


def test_a_run_without_the_file_has_not_begun(tmp_path: Path) -> None:
    assert read_progress(tmp_path) == Progress()
