"""Manifests of JSON lines, as NeMo writes them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.data import NemoManifest
from mocha_lightning.errors import UserError

from .recordings import SMALL, opened, texts, write_noise

SPLITS = ("train", "validation", "test")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    for number, split in enumerate(SPLITS):
        lines = []
        for take in range(2):
            write_noise(folder / "audio" / split / f"{take}.wav", 2 * number + take)
            path = f"../audio/{split}/{take}.wav"
            lines.append({"audio_filepath": path, "text": "One two", "duration": 0.2})
        write(folder, split, lines)
    return folder


def write(folder: Path, split: str, lines: list[dict[str, Any]]) -> None:
    path = folder / "lists" / f"{split}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def corpus(folder: Path, **changes: Any) -> NemoManifest:
    lists = {split: str(folder / "lists" / f"{split}.jsonl") for split in SPLITS}
    return NemoManifest(**{**SMALL, **lists, "cache_dir": str(folder.parent / "cache"), **changes})


def test_each_split_has_its_manifest_and_paths_start_from_there(folder: Path) -> None:
    assert texts(corpus(folder)) == {
        split: {f"{split}/{take}.wav": ("one two", "unknown") for take in range(2)}
        for split in SPLITS
    }


def test_one_manifest_may_list_all(folder: Path) -> None:
    lines = [
        {"audio_filepath": f"{split}/0.wav", "text": "a", "split": split, "speaker": split[0]}
        for split in SPLITS
    ]
    (folder / "audio" / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    data = NemoManifest(
        str(folder / "audio" / "all.jsonl"),
        **{**SMALL, "batch_size": 1, "cache_dir": str(folder)},
    )
    assert texts(data) == {split: {f"{split}/0.wav": ("a", split[0])} for split in SPLITS}


def test_utterances_may_be_parts_of_a_file(folder: Path) -> None:
    write_noise(folder / "audio" / "long.wav", seconds=1.0)
    long = {"audio_filepath": "../audio/long.wav", "text": "a"}
    write(
        folder,
        "train",
        [{**long, "duration": 0.25}, {**long, "offset": 0.25, "duration": 0.5}],
    )
    train = opened(corpus(folder)).splits["train"].utterances
    assert [(item.id, item.seconds) for item in train] == [
        ("long.wav", 0.25),
        ("long.wav@0.25", 0.5),
    ]


def test_a_moved_corpus_is_the_same_also_with_absolute_paths(folder: Path, tmp_path: Path) -> None:
    before = corpus(folder).folder
    there = tmp_path / "elsewhere"
    shutil.copytree(folder, there)
    assert corpus(there).folder.name == before.name
    for split in SPLITS:
        path = there / "lists" / f"{split}.jsonl"
        path.write_text(path.read_text().replace("../", f"{there}/"))
    assert corpus(there).folder.name == before.name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"text": "a"}, "line 1: has no audio_filepath"),
        ({"audio_filepath": 3, "text": "a"}, "line 1: audio_filepath is 3: write it as text"),
        ({"audio_filepath": "a", "text": ["a"]}, r"line 1: text is \['a'\]: write it as text"),
        ({"audio_filepath": "a", "duration": "1"}, "line 1: duration is '1': write seconds"),
        ({"audio_filepath": "../audio/train/0.wav"}, r"train\.jsonl, line 1\): no transcript"),
        (
            {"audio_filepath": "../audio/test/0.wav", "text": "a"},
            r"id 'test/0\.wav' \(.*train\.jsonl, line 1 and .*test\.jsonl, line 1\)",
        ),
        (
            {"audio_filepath": "../audio/train/0.wav", "text": "a", "offset": 0.1, "duration": 9},
            r"train/0\.wav@0\.1 \(.*line 1\): audio cannot be read: .* from 0\.100 s to 9\.100 s",
        ),
    ],
)
def test_a_mistake_is_named_with_file_and_line(
    folder: Path, line: dict[str, Any], message: str
) -> None:
    write(folder, "train", [line])
    with pytest.raises(UserError, match=message):
        corpus(folder).prepare_data()


def test_an_unknown_split_is_named(folder: Path) -> None:
    every = {"train": None, "validation": None, "test": None}
    with pytest.raises(UserError, match=r"test\.jsonl, line 1: split is None: write train"):
        corpus(folder, **every, manifest=str(folder / "lists" / "test.jsonl")).prepare_data()


def test_a_missing_manifest_is_named(folder: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.jsonl: cannot be read"):
        corpus(folder, train="nowhere.jsonl").prepare_data()
    with pytest.raises(UserError, match=r"data\.manifest, data\.train, .* give either"):
        corpus(folder, train=None)
