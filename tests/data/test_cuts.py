"""Lhotse's cuts, read without Lhotse."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from mocha_lightning.data import LhotseCuts
from mocha_lightning.errors import UserError

from .recordings import SMALL, audio, opened, texts, write_noise

SPLITS = ("train", "validation", "test")


def cut(identity: str, source: str, **changes: Any) -> dict[str, Any]:
    """A line as ``CutSet.to_file`` writes it."""
    return {
        "id": identity,
        "start": 0.0,
        "duration": 0.2,
        "channel": 0,
        "supervisions": [
            {
                "id": identity,
                "recording_id": "r",
                "start": 0.0,
                "duration": 0.2,
                "channel": 0,
                "text": "ONE two",
                "language": "English",
                "speaker": "anna",
            }
        ],
        "recording": {
            "id": "r",
            "sources": [{"type": "file", "channels": [0], "source": source}],
            "sampling_rate": 8000,
            "num_samples": 1600,
            "duration": 0.2,
            "channel_ids": [0],
        },
        "type": "MonoCut",
        **changes,
    }


def write(path: Path, cuts: list[dict[str, Any]]) -> None:
    content = "".join(json.dumps(each) + "\n" for each in cuts).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "cuts"
    for number, split in enumerate(SPLITS):
        for take in range(2):
            write_noise(folder / "audio" / f"{split}{take}.wav", 2 * number + take)
        cuts = [cut(f"{split}-{take}", f"audio/{split}{take}.wav") for take in range(2)]
        write(folder / f"{split}.jsonl.gz", cuts)
    return folder


def corpus(folder: Path, **changes: Any) -> LhotseCuts:
    lists = {split: str(folder / f"{split}.jsonl.gz") for split in SPLITS}
    return LhotseCuts(**{**SMALL, **lists, "cache_dir": str(folder.parent / "cache"), **changes})


def test_each_cut_is_an_utterance(folder: Path) -> None:
    assert texts(corpus(folder)) == {
        split: {f"{split}-{take}": ("one two", "anna") for take in range(2)} for split in SPLITS
    }


def test_the_list_need_not_be_packed(folder: Path) -> None:
    write(folder / "train.jsonl", [cut(f"t{take}", f"audio/train{take}.wav") for take in range(2)])
    assert list(texts(corpus(folder, train=str(folder / "train.jsonl")))["train"]) == ["t0", "t1"]


def test_a_cut_is_a_part_of_a_channel(folder: Path) -> None:
    both = np.random.default_rng(0).integers(-9000, 9000, (8000, 2)).astype(np.int16)
    soundfile.write(folder / "audio" / "two.wav", both, 8000)
    lines = []
    for name, kind, channel in (("mean", "MultiCut", [0, 1]), ("right", "MonoCut", 1)):
        line = cut(name, "", start=0.25, duration=0.5, channel=channel, type=kind)
        line["recording"]["sources"] = [
            {"type": "file", "channels": [0, 1], "source": "audio/two.wav"}
        ]
        lines.append(line)
    write(folder / "train.jsonl.gz", lines)
    samples = audio(corpus(folder))
    assert (samples["right"] == both[2000:6000, 1]).all()
    assert np.abs(samples["mean"] - both[2000:6000].mean(1)).max() <= 0.5


def test_each_channel_may_be_a_file(folder: Path) -> None:
    line = cut("right", "", channel=1)
    line["recording"]["sources"] = [
        {"type": "file", "channels": [channel], "source": f"audio/train{channel}.wav"}
        for channel in range(2)
    ]
    write(folder / "train.jsonl.gz", [line])
    data = corpus(folder, batch_size=1)
    whole, _ = soundfile.read(folder / "audio/train1.wav", dtype="int16")
    assert (audio(data)["right"] == whole).all()
    opened(data)


def source(**changes: Any) -> dict[str, Any]:
    return {"recording": {"sources": [{"type": "file", "channels": [0], **changes}]}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"type": "MixedCut"}, "a MixedCut is no part of one recording"),
        ({"recording": None}, "its recording is None and no JSON object"),
        ({"recording": {"sources": []}}, "its recording has no sources"),
        ({"recording": {"transforms": [{}]}}, "its recording is transformed when it is read"),
        (source(type="url"), r"its audio is of type 'url' .* cuts\.save_audios"),
        (source(), "has no source: name a sound file"),
        (source(channels=[1]), "no source of its recording has channel 0"),
        ({"channel": [0], **source(channels=[0, 1])}, "is of some channels of its file"),
        ({"supervisions": []}, r"has 0 supervisions and must have one .*trim_to_supervisions"),
        ({"supervisions": [{}, {}]}, "has 2 supervisions and must have one"),
        ({"id": None}, "the cut has no id"),
        ({"start": -1}, "start is -1: write seconds"),
        ({"supervisions": [{}]}, r"line 2\): no transcript"),
        ({"id": "t0"}, r"the id 't0' \(.*line 1 and .*line 2\)"),
    ],
)
def test_a_cut_that_cannot_be_used_is_named_with_file_and_line(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    first = cut("t0", "audio/train0.wav")
    write(folder / "train.jsonl.gz", [first, {**cut("t1", "audio/train1.wav"), **changes}])
    with pytest.raises(UserError, match=message) as error:
        corpus(folder).prepare_data()
    assert "train.jsonl.gz, line 2" in str(error.value)
