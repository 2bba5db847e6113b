"""What a run made of each example."""

import json
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.report.predictions import Prediction, read_predictions


def write(folder: Path, *records: Any) -> Path:
    path = folder / "predictions.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def test_documents_come_with_what_the_corpus_knows_of_them(tmp_path: Path) -> None:
    record = {
        **{"id": "one", "order": "normal", "swap": 1, "distance": 1, "alignment": [0, 2, 1]},
        **{"lead": "a", "source": "a b c", "reference": "a c b"},
        **{"hypothesis": "a c", "hypothesis_greedy": "a"},
    }
    assert read_predictions(write(tmp_path, record)) == (
        Prediction("one", "a c b", "a c", "a b c", "a", "normal", 1),
    )


def test_speech_has_no_source(tmp_path: Path) -> None:
    records = [
        {"utterance": f"u{number}", "reference": "two", "hypothesis": "too"} for number in (2, 1)
    ]
    assert read_predictions(write(tmp_path, *records)) == (
        Prediction("u2", "two", "too"),
        Prediction("u1", "two", "too"),
    )


def test_what_is_no_text_is_left_alone(tmp_path: Path) -> None:
    assert read_predictions(tmp_path / "predictions.jsonl") is None
    assert read_predictions(write(tmp_path)) is None
    assert read_predictions(write(tmp_path, {"x": [1.0], "y": 2.0})) is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"reference": "a", "hypothesis": "a"}\n{"reference": "a", "hy', "line 2: not complete"),
        (b"[1, 2]\n", "line 1: no JSON object"),
        (b'{"id": ' + b"[" * 100_000, "line 1: not complete"),
        (b"\xff\n", "cannot be read"),
        (b'{"id": "a", "reference": "", "hypothesis": ""}\n' * 2, "line 2: 'a' is there twice"),
    ],
)
def test_a_file_that_is_damaged_is_named_with_its_line(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=rf"predictions\.jsonl.*{problem}.*: remove it"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("distance", -5),
        ("distance", 10**30),
        ("distance", "7"),
        ("distance", [7]),
        ("distance", 1.5),
        ("order", ["normal"]),
        ("lead", 5),
        ("source", 5),
        ("hypothesis", None),
        ("hypothesis", "\ud800 x"),
        ("id", {}),
    ],
)
def test_a_value_of_another_kind_is_named_with_its_line(
    key: str, value: Any, tmp_path: Path
) -> None:
    good = {"id": "a", "reference": "a", "hypothesis": "a"}
    path = write(tmp_path, good, {**good, "id": "b", key: value})
    with pytest.raises(UserError, match=rf"line 2: key {key}: .*: remove it"):
        read_predictions(path)
