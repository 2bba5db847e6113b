"""Documents in files of rows: JSON lines, CSV and Parquet."""

import csv
import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mocha_lightning.data import DocumentFile
from mocha_lightning.errors import UserError

from .texts import opened, pairs

ROWS = {
    "train": [("x1", "The cat sat. It ran!", "A cat."), ("x2", "Dogs, and\nmore dogs.", 'A "dog"')],
    "validation": [("x1", "One.", "1")],
    "test": [("x9", "Two.", "2")],
}
EXPECTED = {
    "train": {
        "x1": ("the cat sat .\nit ran !", "a cat ."),
        "x2": ("dogs , and\nmore dogs .", "a `` dog ''"),
    },
    "validation": {"x1": ("one .", "1")},
    "test": {"x9": ("two .", "2")},
}
NAMES = ("key", "body", "short")


def write(path: Path, rows: Sequence[tuple[str, str, str]]) -> None:
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        lines = "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows)
        content = lines.encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([NAMES, *rows])
    else:
        columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
        pq.write_table(pa.table(columns), path)


def corpus(folder: Path, suffix: str = ".jsonl", **changes: Any) -> DocumentFile:
    settings = {
        "document_column": "body",
        "summary_column": "short",
        "id_column": "key",
        "cache_dir": str(folder / "cache"),
        "batch_size": 1,
        **changes,
    }
    return DocumentFile(*(str(folder / f"{split}{suffix}") for split in ROWS), **settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for split, rows in ROWS.items():
        for suffix in (".jsonl", ".jsonl.gz", ".csv", ".parquet"):
            write(tmp_path / f"{split}{suffix}", rows)
    return tmp_path


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_every_kind_of_file_gives_the_same_documents(folder: Path, suffix: str) -> None:
    assert pairs(corpus(folder, suffix)) == EXPECTED


def test_rows_without_ids_are_numbered(folder: Path) -> None:
    assert list(pairs(corpus(folder, id_column=None))["train"]) == ["train-00001", "train-00002"]


def test_a_moved_file_is_the_same_and_a_changed_one_another(folder: Path) -> None:
    before = corpus(folder).folder.name
    moved = folder / "moved"
    moved.mkdir()
    for path in folder.glob("*.jsonl"):
        (moved / path.name).write_bytes(path.read_bytes())
    assert corpus(moved).folder.name == before
    # A letter for a letter: neither size nor name tells.
    changed = (moved / "test.jsonl").read_text().replace("Two.", "Too.")
    (moved / "test.jsonl").write_text(changed)
    assert corpus(moved).folder.name != before
    assert corpus(folder, id_column=None).folder.name != before
    assert corpus(folder, tokenised=True).folder.name != before


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_bytes_that_are_no_utf8_are_told_with_their_place(folder: Path, suffix: str) -> None:
    path = folder / f"train{suffix}"
    content = path.read_bytes()
    assert content.count(b"Dogs") >= 1
    path.write_bytes(content.replace(b"Dogs", b"D\xffgs"))
    place = "row 2" if suffix == ".parquet" else "line 2" if suffix == ".jsonl" else "line 4"
    message = rf"x2 \(.*train{suffix}, {place}\): not UTF-8: its document has a byte .* after 'D'"
    with pytest.raises(UserError, match=message):
        corpus(folder, suffix).prepare_data()
    data = opened(corpus(folder, suffix, on_unusable="drop"))
    assert list(pairs(data)["train"]) == ["x1"]
    assert data.describe()["dropped"]["train"] == {"not UTF-8": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{'body': 1}", r"train-00003 \(.*, line 3\): cannot be read: is not JSON"),
        ("[1]", "cannot be read: is no JSON object in braces"),
        ('{"key": "y", "body": 3, "short": ""}', "cannot be read: its body is 3 and no text"),
        ('{"key": "y", "short": "x"}', "y .*: no document: there is none"),
        ('{"key": "y", "body": "x", "short": null}', "y .*: no summary: there is none"),
        ('{"key": "y", "body": "x", "short": " "}', "y .*: empty summary"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(folder: Path, line: str, message: str) -> None:
    with (folder / "train.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(UserError, match=message) as error:
        corpus(folder).prepare_data()
    assert "\n" not in str(error.value)
    assert list(pairs(corpus(folder, on_unusable="drop"))["train"]) == ["x1", "x2"]


@pytest.mark.parametrize(
    ("suffix", "message"),
    [
        (".jsonl", r"train\.jsonl, line 1: has no column text \(but key, body, short\)"),
        (".csv", r"train\.csv, line 1: has the column text 0 times"),
        (".parquet", r"train\.parquet: has no column text \(but key, body, short\)"),
    ],
)
def test_a_missing_column_is_named(folder: Path, suffix: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        corpus(folder, suffix, document_column="text").prepare_data()


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("split", ROWS)
def test_a_file_without_a_row_is_named(folder: Path, suffix: str, split: str) -> None:
    path = folder / f"{split}{suffix}"
    if suffix == ".parquet":
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    else:
        path.write_text("key,body,short\n" if suffix == ".csv" else "")
    with pytest.raises(UserError, match=rf"{split}{suffix}: has no row: name a .* as data.{split}"):
        corpus(folder, suffix).prepare_data()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([b"a", b"\xff"]).cast(pa.binary()).dictionary_encode(), "cannot be read"),
        (pa.array([2**62, 1], pa.timestamp("ms")), "cannot be read"),
        (pa.array([2**31 - 1, 1], pa.date32()), "cannot be read"),
    ],
)
def test_values_that_python_cannot_express_are_an_error(
    folder: Path, column: pa.Array, message: str
) -> None:
    path = folder / "train.parquet"
    if pa.types.is_dictionary(column.type):
        text = pa.DictionaryArray.from_arrays(column.indices, column.dictionary.view(pa.string()))
    else:
        text = column
    table = pa.table({"key": text, "body": pa.array(["a", "b"]), "short": pa.array(["a", "b"])})
    pq.write_table(table, path)
    with pytest.raises(UserError, match=rf"train\.parquet: {message} \("):
        corpus(folder, ".parquet").prepare_data()


def test_a_column_that_is_there_twice_is_an_error(folder: Path) -> None:
    columns = [pa.array(["a"])] * 4
    names = ["key", "body", "short", "short"]
    pq.write_table(pa.Table.from_arrays(columns, names=names), folder / "train.parquet")
    with pytest.raises(UserError, match="has the column short 2 times"):
        corpus(folder, ".parquet").prepare_data()


def test_a_pipe_is_refused_since_it_cannot_be_read_twice(folder: Path) -> None:
    (folder / "test.jsonl").unlink()
    os.mkfifo(folder / "test.jsonl")
    with pytest.raises(UserError, match=r"test\.jsonl: is no file that can be read twice"):
        corpus(folder).prepare_data()


def test_splits_must_have_files_of_their_own(folder: Path) -> None:
    (folder / "test.jsonl").write_bytes((folder / "train.jsonl").read_bytes())
    with pytest.raises(UserError, match="train and test have the same file"):
        corpus(folder).prepare_data()


def test_a_value_of_a_hundred_thousand_words_fits(folder: Path) -> None:
    write(folder / "test.csv", [("x", "word " * 100_000, "y")])
    data = opened(corpus(folder, ".csv"))
    assert data.describe()["splits"]["test"]["max_document_words"] == 100_000


def test_files_that_cannot_be_read_are_named(folder: Path) -> None:
    (folder / "test.parquet").write_bytes(b"no parquet")
    with pytest.raises(UserError, match=r"test\.parquet: cannot be read \("):
        corpus(folder, ".parquet").prepare_data()
    with pytest.raises(UserError, match=r"train\.txt: cannot be read \(No such file"):
        corpus(folder, ".txt").prepare_data()
    for split in ROWS:
        (folder / f"{split}.txt").write_text(split)
    with pytest.raises(UserError, match=r"train\.txt: is of no kind .* ends in \.jsonl, \.json, "):
        corpus(folder, ".txt").prepare_data()
    with pytest.raises(UserError, match=r"are both 'body': name two columns"):
        corpus(folder, summary_column="body")
