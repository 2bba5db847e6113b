"""LibriSpeech from unpacked archives."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.data import LibriSpeech
from mocha_lightning.errors import UserError

from .recordings import SMALL, opened, texts, write_noise


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "LibriSpeech"
    seed = 0
    for subset, speaker in (("train-clean-100", 103), ("dev-clean", 84), ("test-clean", 61)):
        chapter = folder / subset / str(speaker) / "1240"
        lines = []
        for number in range(3):
            name, seed = f"{speaker}-1240-{number:04d}", seed + 1
            write_noise(chapter / f"{name}.flac", seed)
            lines.append(f"{name} IT'S NUMBER {'I' * (number + 1)}\n")
        (chapter / f"{speaker}-1240.trans.txt").write_text("".join(lines))
    (folder / "SPEAKERS.TXT").write_text("; not looked at\n")
    return folder


def corpus(folder: Path, **changes: Any) -> LibriSpeech:
    return LibriSpeech(str(folder), **{**SMALL, "cache_dir": str(folder / "../cache"), **changes})


def test_subsets_are_splits_and_letters_lower_case(folder: Path) -> None:
    found = texts(corpus(folder))
    assert list(found["train"]) == ["103-1240-0000", "103-1240-0001", "103-1240-0002"]
    assert found["validation"]["84-1240-0001"] == ("it's number ii", "84")
    assert found["test"]["61-1240-0002"] == ("it's number iii", "61")


def test_the_folder_may_be_the_one_that_holds_it(folder: Path) -> None:
    assert corpus(folder.parent, cache_dir=str(folder)).folder.name == corpus(folder).folder.name


def test_a_split_may_be_several_subsets(folder: Path) -> None:
    shutil.copytree(folder / "test-clean", folder / "test-other")
    for path in sorted((folder / "test-other").rglob("61-*")):
        path.rename(path.with_name(path.name.replace("61-", "62-")))
    listing = folder / "test-other/61/1240/62-1240.trans.txt"
    listing.write_text(listing.read_text().replace("61-", "62-"))
    assert len(texts(corpus(folder, test=("test-clean", "test-other")))["test"]) == 6


def test_a_missing_subset_is_answered_with_those_there(folder: Path) -> None:
    with pytest.raises(
        UserError,
        match=r"train-all: no such folder: .* data\.train; there are: dev-clean, test-clean, train",
    ):
        corpus(folder, train=("train-all",)).prepare_data()
    with pytest.raises(UserError, match=r"there are: none"):
        corpus(folder / "nowhere", cache_dir="x").prepare_data()


def test_audio_without_transcript_and_transcript_without_audio_stop(folder: Path) -> None:
    chapter = folder / "train-clean-100/103/1240"
    (chapter / "103-1240-0001.flac").rename(chapter / "103-1240-0009.flac")
    with pytest.raises(UserError, match="2 utterances cannot be used") as error:
        corpus(folder).prepare_data()
    assert "103-1240-0001 (" in str(error.value)
    assert "trans.txt, line 2): " in str(error.value)
    assert "  no audio file (1):" in str(error.value)
    assert "  no transcript (1):\n    103-1240-0009: " in str(error.value)
    assert list(texts(corpus(folder, on_unusable="drop"))["train"]) == [
        *("103-1240-0000", "103-1240-0002")
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("103-1240-0001 AGAIN", "103-1240-0001 is there twice"),
        ("NO NAME", "begins with 'NO' and not with speaker-chapter-number"),
    ],
)
def test_a_damaged_line_is_named(folder: Path, line: str, message: str) -> None:
    path = folder / "train-clean-100/103/1240/103-1240.trans.txt"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UserError, match=rf"103-1240\.trans\.txt, line 4: {message}"):
        corpus(folder).prepare_data()


def test_real_recordings_are_read(folder: Path, real_file: Callable[[str], Path]) -> None:
    chapter = folder / "test-clean/2412/153948"
    chapter.mkdir(parents=True)
    for number in range(2):
        name = f"2412-153948-{number:04d}"
        shutil.copy(real_file(f"librispeech/{name}.flac"), chapter)
        with (chapter / "2412-153948.trans.txt").open("a") as lines:
            lines.write(f"{name} WORDS\n")
    data = opened(corpus(folder, max_seconds=None))
    seconds = {item.id: item.seconds for item in data.splits["test"].utterances}
    assert 1 < seconds["2412-153948-0000"] < 40
    assert 1 < seconds["2412-153948-0001"] < 40
