"""A folder of sound files with a table of transcripts."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.data import AudioFolder
from mocha_lightning.errors import UserError

from .recordings import SMALL, texts, write_noise

TABLE = """file_name,text,split,speaker
a.wav,One,train,anna
sub/b.wav,"Two,  three",train,bert
c.wav,it's,validation,
d.wav,four,test,anna
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "speech"
    for seed, name in enumerate(("a.wav", "sub/b.wav", "c.wav", "d.wav")):
        write_noise(folder / name, seed)
    (folder / "metadata.csv").write_text(TABLE)
    return folder


def corpus(folder: Path, **changes: Any) -> AudioFolder:
    settings = {**SMALL, "cache_dir": str(folder.parent / "cache"), **changes}
    return AudioFolder(str(folder), **settings)


def test_a_table_lists_all_splits(folder: Path) -> None:
    assert texts(corpus(folder, characters=" abcdefghijklmnopqrstuvwxyz',")) == {
        "train": {"a.wav": ("one", "anna"), "sub/b.wav": ("two, three", "bert")},
        "validation": {"c.wav": ("it's", "unknown")},
        "test": {"d.wav": ("four", "anna")},
    }


def test_a_table_written_by_a_spreadsheet_is_read(folder: Path) -> None:
    plain = TABLE.replace(",  ", " ").replace('"', "")
    (folder / "metadata.csv").write_bytes(("\ufeff" + plain).replace("\n", "\r\n").encode())
    assert texts(corpus(folder))["train"]["sub/b.wav"] == ("two three", "bert")


def test_each_split_may_have_its_own_table_beside_its_files(folder: Path) -> None:
    (folder / "metadata.csv").unlink()
    for number, split in enumerate(("train", "validation", "test")):
        rows = []
        for take in range(2):
            write_noise(folder / split / f"{take}.wav", 2 * number + take)
            rows.append(f"two,{take}.wav\n")
        (folder / split / "metadata.csv").write_text("text,file_name\n" + "".join(rows))
    tables = {split: f"{split}/metadata.csv" for split in ("train", "validation", "test")}
    assert texts(corpus(folder, metadata=None, **tables)) == {
        split: {f"{split}/{take}.wav": ("two", "unknown") for take in range(2)} for split in tables
    }


def test_letters_may_keep_their_case(folder: Path) -> None:
    (folder / "metadata.csv").write_text(TABLE.replace(",  ", " "))
    data = corpus(folder, lower_case=False, characters=" OTnewothri'sfu")
    assert texts(data)["train"]["a.wav"] == ("One", "anna")


def test_a_moved_folder_is_the_same_corpus(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert corpus(tmp_path / "copy").folder == corpus(folder).folder


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("file_name,text", "file,text", "line 1: has the column file_name 0 times"),
        ("text,split", "text,text", "line 1: has the column text 2 times"),
        ("split", "part", "line 1: has the column split 0 times"),
        (TABLE, "", r"metadata\.csv: is empty: write the table there, with a first line"),
        (TABLE, "file_name,text,split\n", r"metadata\.csv: has no line below its first"),
        ("four,test", "four,dev", "line 5: split is 'dev': write train, validation or test"),
        ("four,test", "four", "line 5: has 3 values for 4 columns"),
        ("d.wav,", ",", "line 5: has no file_name"),
        ("d.wav,", "a.wav,", r"id 'a\.wav' \(.*csv, line 2 and .*csv, line 5\)"),
        ('"Two,  three"', "Two, three", "line 3: has 5 values for 4 columns: put quotes round"),
        ('three"', 'three"y', "line 3: is not CSV"),
        ('three"', "three", "is not CSV"),
        ("d.wav,", "e.wav,", r"e\.wav \(.*csv, line 5\): no audio file: .*e\.wav: no such file"),
        ("four,", ",", r"d\.wav \(.*csv, line 5\): empty transcript"),
        ("four,", "4,", r"d\.wav \(.*csv, line 5\): character outside the vocabulary: '4' in '4'"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(
    folder: Path, old: str, new: str, message: str
) -> None:
    table = TABLE if "three" in old or "Two" in old else TABLE.replace(",  ", " ")
    assert old in table or old == TABLE
    (folder / "metadata.csv").write_text(new if old == TABLE else table.replace(old, new))
    with pytest.raises(UserError, match=message) as error:
        corpus(folder).prepare_data()
    assert "\n" not in str(error.value)


def test_missing_places_are_named(folder: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere: no such folder: correct data\.folder"):
        corpus(folder / "nowhere").prepare_data()
    with pytest.raises(UserError, match=r"list\.csv: no such file: .* file_name, text, split"):
        corpus(folder, metadata="list.csv").prepare_data()
    os.mkfifo(folder / "pipe.csv")
    for name in ("pipe.csv", "."):
        with pytest.raises(UserError, match="is no file: write the table there"):
            corpus(folder, metadata=name).prepare_data()
    with pytest.raises(UserError, match=r"data\.metadata, data\.train, .* give either"):
        corpus(folder, train="train.csv")
