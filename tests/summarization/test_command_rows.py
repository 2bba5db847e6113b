"""``summarize`` of files of rows."""

import json
from pathlib import Path

import pytest
from commands import Command

from mocha_lightning.cli import main
from mocha_lightning.summarizer.text import text_of

from .commanding import TEXTS, words_of

ROWS = [
    {"name": "one", "text": TEXTS["a.txt"], "gold": "The cat ran ."},
    {"name": "two", "text": TEXTS["b.txt"], "gold": "the dog ."},
]


def write_rows(*rows: dict[str, object]) -> None:
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


COLUMNS = ("--document-column", "text", "--summary-column", "gold", "--id-column", "name")


def test_each_row_of_a_file_is_a_document_and_what_is_printed_can_be_evaluated(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(*ROWS)
    ended = command("rows.jsonl", *COLUMNS, "--json")
    assert ended.code == 0
    found = [json.loads(line) for line in ended.out.splitlines()]
    for row, made in zip(ROWS, found, strict=True):
        assert made["id"] == row["name"]
        assert made["source"] == row["text"].lower().strip()
        assert made["reference"] == row["gold"].lower()
        assert made["hypothesis"] == text_of(words_of("run", row["text"]))
    Path("made.jsonl").write_text(ended.out)
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", "--predictions", "made.jsonl", "--json"])
    assert not caught.value.code
    assert json.loads(capsys.readouterr().out)["texts"] == 2


def test_rows_without_names_and_references_are_numbered(command: Command) -> None:
    write_rows(*ROWS)
    ended = command("rows.jsonl", "--document-column", "text")
    expected = [
        f"row-0000{number}: {line}".rstrip()
        for number, row in enumerate(ROWS, 1)
        for line in text_of(words_of("run", row["text"])).split("\n")
    ]
    assert ended.out.splitlines() == expected
    made = json.loads(
        command("rows.jsonl", "--document-column", "text", "--json").out.split("\n")[0]
    )
    assert "reference" not in made


def test_a_row_that_cannot_be_used_keeps_no_other_from_it(command: Command) -> None:
    write_rows(ROWS[0], {"name": "bad", "text": " ", "gold": "x"}, ROWS[1])
    ended = command("rows.jsonl", *COLUMNS, "--json")
    assert ended.code == 2
    assert [json.loads(line)["id"] for line in ended.out.splitlines()] == ["one", "two"]
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    assert errors == [
        "error: bad (rows.jsonl, line 2): empty document: there is no word in it",
        "error: rows.jsonl: 1 of its 3 rows cannot be used (see above)",
    ]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv.gz", "rows.parquet"])
def test_a_file_of_rows_is_no_text(command: Command, name: str) -> None:
    Path(name).write_text("{}")
    ended = command(name)
    assert (ended.code, ended.out) == (2, "")
    assert f"error: {name}: is a file of rows by its name: say with --document-c" in ended.err


def test_a_file_without_a_row_or_a_column_is_told(command: Command) -> None:
    write_rows()
    assert "error: rows.jsonl: has no row" in command("rows.jsonl", *COLUMNS).err
    write_rows({"text": "a"})
    ended = command("rows.jsonl", *COLUMNS)
    assert ended.code == 2
    assert "rows.jsonl, line 1: has no column gold" in ended.err
