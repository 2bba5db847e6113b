"""``mocha-lightning prepare``: the data of an experiment without its models."""

import csv
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from commands import Ended, give
from experiment.running import write_toy

from mocha_lightning.cli import main
from mocha_lightning.data import AudioFolder, workers
from mocha_lightning.data.writing import CacheWriter

SECONDS = {"train": (0.5, 1.0, 0.6, 0.02), "validation": (0.4,), "test": (0.3, 0.7)}
"""Of each recording; the last of training is too short to be used."""
TEXTS = ("one two", "two", "one two", "three")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with recordings and an experiment on them, which the command is given in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    generator = np.random.default_rng(0)
    rows = [("file_name", "text", "speaker", "split")]
    (tmp_path / "sounds").mkdir()
    for split, lengths in SECONDS.items():
        for number, seconds in enumerate(lengths):
            name = f"{split}{number}.wav"
            noise = generator.uniform(-0.3, 0.3, int(8000 * seconds))
            soundfile.write(tmp_path / "sounds" / name, noise, 8000)
            rows.append(
                (name, TEXTS[number], ("bc" if split == "test" else "ab")[number % 2], split)
            )
    with (tmp_path / "sounds" / "metadata.csv").open("w") as file:
        csv.writer(file).writerows(rows)
    write_experiment(tmp_path)
    return tmp_path


def write_experiment(folder: Path, **changes: Any) -> None:
    """An experiment whose task is nowhere: nobody needs it to prepare the data."""
    arguments = {"folder": "sounds", "sample_rate": 8000, "mel_bins": 10, "batch_size": 2}
    content = {
        "task": {"class_path": "no.such.Task"},
        "data": {"class_path": "mocha_lightning.data.AudioFolder", "init_args": arguments},
        "variants": {"few": {"task.size": 1}, "many": {"task.size": 2}},
        "comparisons": [],
    }
    write_toy(folder, **{**content, **changes})


@pytest.fixture
def prepare(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Give the command; gives its exit code and what it said."""
    return partial(give, capsys, "prepare", "toy.yaml")


def test_what_is_in_the_data_is_told_as_json(folder: Path, prepare: Callable[..., Ended]) -> None:
    code, out, err = prepare("--json", "--jobs", "1")
    assert code == 0
    (facts,) = json.loads(out)["data"]
    assert "Left out of train: 1 (too short)" in err
    place = Path(facts["folder"])
    assert facts == {
        "name": "audio-folder",
        "variants": ["few", "many"],
        "sha256": json.loads((place / "corpus.json").read_text())["sha256"],
        "folder": str(place),
        "bytes": sum(path.stat().st_size for path in place.iterdir()),
        "splits": {
            "train": {
                "utterances": 3,
                "hours": pytest.approx(2.1 / 3600),
                "speakers": 2,
                "speakers_in_training": 2,
                "words": 5,
                "distinct_transcripts": 2,
                "mean_seconds": pytest.approx(0.7),
                "max_seconds": 1.0,
            },
            "validation": {
                "utterances": 1,
                "hours": pytest.approx(0.4 / 3600),
                "speakers": 1,
                "speakers_in_training": 1,
                "words": 2,
                "distinct_transcripts": 1,
                "mean_seconds": 0.4,
                "max_seconds": 0.4,
            },
            "test": {
                "utterances": 2,
                "hours": pytest.approx(1.0 / 3600),
                "speakers": 2,
                "speakers_in_training": 1,
                "words": 3,
                "distinct_transcripts": 2,
                "mean_seconds": pytest.approx(0.5),
                "max_seconds": 0.7,
            },
        },
        "vocabulary": {"size": 31, "symbols": list(" abcdefghijklmnopqrstuvwxyz'")},
        "features": {"sample_rate": 8000, "mel_bins": 10, "deltas": True},
        "left_out": {
            "counts": {"train": {"too short": 1}, "validation": {}, "test": {}},
            "first": [f"train3.wav ({folder}/sounds/metadata.csv, line 5): too short: 0.020 s, "
                      "less than 0.1 s"],
            "file": str(place / "dropped.jsonl"),
        },
    }  # fmt: skip


def test_it_is_done_by_as_many_processes_as_are_asked_for(
    folder: Path, prepare: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    build = AudioFolder.build
    monkeypatch.setattr(
        AudioFolder, "build", lambda data, place: asked.append(data.jobs) or build(data, place)
    )
    prepare("--jobs", "3")
    prepare("--set", "data.deltas=false")
    assert asked == [3, workers.cores()]


def test_it_is_told_in_a_table_at_once_where_it_is_prepared(
    folder: Path, prepare: Callable[..., Ended]
) -> None:
    _, first, _ = prepare()
    code, out, err = prepare()
    assert (code, err) == (0, "")
    assert out == first
    assert out.startswith("audio-folder, of few, many\nfolder: cache/audio-folder-")
    rows = [line.split() for line in out.splitlines()]
    assert ["train", "validation", "test"] in rows
    assert ["utterances", "3", "1", "2"] in rows
    assert ["greatest", "length,", "s", "1.00", "0.40", "0.70"] in rows
    assert "vocabulary: 31 outputs: 3 marks, space a b c" in out
    assert "left out: 1 of train (too short); all in cache/audio-folder-" in out
    assert max(len(line) for line in out.splitlines() if "─" in line) <= 80


def test_where_no_speaker_is_named_it_says_so(folder: Path, prepare: Callable[..., Ended]) -> None:
    said = "no speaker is named: whether a split has those of training cannot be told"
    assert said not in prepare()[1].splitlines()
    table = folder / "sounds" / "metadata.csv"
    table.write_text(table.read_text().replace("speaker", "who"))
    lines = prepare()[1].splitlines()
    assert said in lines
    assert not [line for line in lines if line.startswith("speakers")]


def test_data_that_variants_differ_in_are_each_prepared_once(
    folder: Path, prepare: Callable[..., Ended]
) -> None:
    variants = {"few": {"data.mel_bins": 5}, "many": {"task.size": 2}, "more": {"task.size": 3}}
    write_experiment(folder, variants=variants)
    code, out, err = prepare("--json", "--set", "data.deltas=false")
    few, others = json.loads(out)["data"]
    assert code == 0
    assert err.count("Preparing") == 2
    assert (few["variants"], few["features"]["mel_bins"]) == (["few"], 5)
    assert (others["variants"], others["features"]["mel_bins"]) == (["many", "more"], 10)
    assert not few["features"]["deltas"]


def test_data_that_are_no_speech_tell_what_they_have_to(
    folder: Path, prepare: Callable[..., Ended]
) -> None:
    write_experiment(folder, data={"class_path": "experiment.toy.ToyData"})
    code, out, _ = prepare()
    assert code == 0
    assert out.splitlines() == [
        "points, of few, many",
        f"SHA-256: {'0' * 64}",
        "          test  ",
        "────────────────",
        "batches      4  ",
        "",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "data.folder=nowhere"], "nowhere: no such folder: correct data.folder"),
        (["--set", "data.foldr=x"], "AudioFolder has no argument foldr"),
        (["--set", "data.mel_bins=0"], "--set data.mel_bins: data.mel_bins is 0"),
        (["--set", "data.class_path=no.such.Data"], "there is no module no"),
        (["--set", "data.cache_dir=toy.yaml/cache"], "name another folder (data.cache_dir)"),
        (["--jobs", "0"], "--jobs: must be a whole number above 0, not 0"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    folder: Path, prepare: Callable[..., Ended], words: list[str], said: str
) -> None:
    code, out, err = prepare(*words)
    assert (code, out) == (2, "")
    told = err.splitlines()
    assert said in told[-1]
    assert told[-1].startswith("error: ")
    assert not [line for line in told[:-1] if not line.startswith(("Prep", "Left", "Reading"))]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("data.batch_size=9", "data.batch_size is 9 and the training split has 3"),
        ("data.batch_frames=50", "utterance train1.wav has 98 frames (1.0 s)"),
    ],
)
def test_what_batches_cannot_be_made_of_is_described_first(
    folder: Path, prepare: Callable[..., Ended], setting: str, said: str
) -> None:
    code, out, err = prepare("--set", setting)
    assert code == 2
    assert out == prepare()[1]
    *_, last = err.splitlines()
    assert last.startswith("error: ")
    assert said in last


def test_data_that_were_changed_since_are_told(folder: Path, prepare: Callable[..., Ended]) -> None:
    prepare()
    (energies,) = folder.glob("cache/*/energies.f32")
    content = bytearray(energies.read_bytes())
    content[99] ^= 1
    energies.write_bytes(content)
    code, out, err = prepare()
    assert (code, out) == (2, "")
    assert err.startswith("error: the prepared corpus in ")
    assert err.endswith("delete that folder and it will be built again\n")


def prepare_slowly(said: Path) -> None:
    """Give the command in a process group of its own, as a terminal does."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stderr = said.open("w")
    os.dup2(sys.stderr.fileno(), 2)  # of the processes that it starts
    workers.ALONE_SECONDS = 0.0
    use = CacheWriter.use

    def slowly(writer: CacheWriter, *arguments: Any) -> None:
        use(writer, *arguments)
        (said.parent / "begun").touch()
        time.sleep(5)

    CacheWriter.use = slowly  # type: ignore[method-assign]
    main(["prepare", "toy.yaml", "--jobs", "2"])


def test_ctrl_c_ends_it_with_a_line_and_keeps_what_is_done(
    folder: Path, prepare: Callable[..., Ended]
) -> None:
    said = folder / "said"
    process = multiprocessing.get_context("fork").Process(target=prepare_slowly, args=(said,))
    process.start()
    assert process.pid is not None
    deadline = time.monotonic() + 180
    while not (folder / "begun").exists():
        assert process.is_alive()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    readers = [
        int(each)
        for task in Path(f"/proc/{process.pid}/task").iterdir()
        for each in (task / "children").read_text().split()
    ]
    os.killpg(process.pid, signal.SIGINT)
    process.join(4)
    assert process.exitcode == 130
    assert said.read_text().endswith("\nStopped. The same command goes on where it stood.\n")
    assert "Traceback" not in said.read_text()
    assert len(readers) == 2
    assert not any(Path(f"/proc/{each}").exists() for each in readers)
    (journal,) = folder.glob("cache/*.unfinished/journal.jsonl")
    assert journal.read_bytes().count(b"\n") == 1
    code, _, err = prepare()
    assert code == 0
    assert "Going on with 1 of 6 recordings done\n" in err
    assert not list(folder.glob("cache/*.unfinished"))
