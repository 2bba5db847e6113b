"""What all corpora of recordings share, shown on one that a user might write."""

import inspect
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from jsonargparse import ArgumentParser

from mocha_lightning.data import (
    AudioFolder,
    LhotseCuts,
    LibriSpeech,
    LibriSpeechHub,
    LogMel,
    NemoManifest,
    RecordedSpeech,
    Recording,
    Vocabulary,
    Wsj,
)
from mocha_lightning.data.unusable import Limits
from mocha_lightning.errors import UserError

from .recordings import audio, opened, write_noise

Change = Callable[[Recording], Recording]


class Noises(RecordedSpeech):
    """Noise, with what a test makes of one of its recordings."""

    name = "noises"
    speech = "none"

    def __init__(self, folder: Path, changed: str = "", change: Change = replace, **limits: Any):
        settings = {"min_seconds": 0.1, "max_seconds": 1.0, "on_unusable": "stop", **limits}
        super().__init__(
            folder,
            Limits(**settings),
            Vocabulary(),
            LogMel(8000, 10),
            str(folder.parent / "cache"),
            batch_size=2,
            eval_batch_size=2,
        )
        self.changed, self.change = changed, change

    def recordings(self) -> list[Recording]:
        items = [
            Recording(
                f"{split}-{number}", split, "one two", "x", self.root / f"{split}-{number}.wav"
            )
            for split, count in (("train", 4), ("validation", 2), ("test", 2))
            for number in range(count)
        ]
        return [self.change(item) if item.id == self.changed else item for item in items]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for seed, recording in enumerate(Noises(tmp_path / "recordings").recordings()):
        write_noise(Path(str(recording.audio)), seed)
    return tmp_path / "recordings"


def ids(data: RecordedSpeech, split: str) -> list[str]:
    return [item.id for item in data.splits[split].utterances]


def test_each_recording_is_an_utterance(folder: Path) -> None:
    data = opened(Noises(folder))
    assert ids(data, "train") == ["train-0", "train-1", "train-2", "train-3"]
    assert data.splits["test"].utterances[0].text == "one two"
    facts = json.loads(json.dumps(data.describe()))
    assert facts["speech"] == "none"
    assert facts["dropped"] == {"train": {}, "validation": {}, "test": {}}


def test_a_part_of_a_file_is_read(folder: Path) -> None:
    write_noise(folder / "train-1.wav", seconds=0.8)
    data = Noises(folder, "train-1", lambda it: replace(it, start=0.25, seconds=0.125))
    samples = audio(data)["train-1"]
    whole, _ = soundfile.read(folder / "train-1.wav", dtype="int16")
    assert (samples == whole[2000:3000]).all()


def test_a_part_that_ends_about_where_its_file_does_ends_there(folder: Path) -> None:
    for seconds in (0.196, 0.204):
        data = Noises(folder, "train-1", lambda it, s=seconds: replace(it, seconds=s))
        assert len(audio(data)["train-1"]) == 1600


@pytest.mark.parametrize(("start", "seconds"), [(0.3, None), (0.0, 0.5), (0.1, 0.0), (-1.0, 1.0)])
def test_a_part_that_its_file_lacks_is_refused(
    folder: Path, start: float, seconds: float | None
) -> None:
    data = Noises(folder, "train-1", lambda it: replace(it, start=start, seconds=seconds))
    with pytest.raises(UserError, match=r"train-1\.wav: has 0\.200 s and not the part from"):
        data.prepare_data()


def damaged(folder: Path, name: str) -> tuple[Change, str]:
    """A recording that cannot be used, and the reason that is told."""
    path = folder / "train-1.wav"
    if name == "no file":
        path.unlink()
        return replace, "no audio file"
    if name == "cut short":
        path.write_bytes(path.read_bytes()[:999])
        return replace, "audio cannot be read"
    if name == "cannot be decoded":
        return lambda it: replace(it, channel=3), "audio cannot be read"
    if name == "silent":
        soundfile.write(path, np.zeros(1600), 8000)
        return replace, "silent"
    text = {"no transcript": None, "blank": " ", "foreign": "zwölf"}[name]
    reasons = {"blank": "empty transcript", "foreign": "character outside the vocabulary"}
    return lambda it: replace(it, text=text), reasons.get(name, name)


DAMAGE = [
    *("no file", "cut short", "cannot be decoded", "silent", "no transcript", "blank", "foreign")
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_cannot_be_used_stops_the_preparation(folder: Path, damage: str) -> None:
    change, reason = damaged(folder, damage)
    data = Noises(folder, "train-1", change)
    with pytest.raises(UserError, match=f"one recording cannot be used: train-1: {reason}: ") as e:
        data.prepare_data()
    assert "\n" not in str(e.value)
    assert not data.folder.exists()


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_cannot_be_used_is_left_out_where_that_is_asked(
    folder: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change, reason = damaged(folder, damage)
    data = opened(Noises(folder, "train-1", change, on_unusable="drop"))
    assert ids(data, "train") == ["train-0", "train-2", "train-3"]
    assert data.describe()["dropped"]["train"] == {reason: 1}
    (line,) = (data.folder / "dropped.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert (told["utterance"], told["split"], told["reason"]) == ("train-1", "train", reason)
    assert told["found"]
    assert f"Left out of train: 1 ({reason}); see dropped.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "reason"), [(0.05, "too short"), (1.2, "too long")])
def test_the_too_short_and_the_too_long_are_left_out_and_counted(
    folder: Path, seconds: float, reason: str
) -> None:
    write_noise(folder / "test-1.wav", seconds=seconds)
    data = opened(Noises(folder))
    assert ids(data, "test") == ["test-0"]
    assert data.describe()["dropped"]["test"] == {reason: 1}


def test_without_a_limit_none_is_too_long(folder: Path) -> None:
    write_noise(folder / "test-1.wav", seconds=1.2)
    assert ids(opened(Noises(folder, max_seconds=None)), "test") == ["test-0", "test-1"]


def test_the_length_that_counts_is_the_parts(folder: Path) -> None:
    write_noise(folder / "test-1.wav", seconds=1.2)
    data = Noises(folder, "test-1", lambda it: replace(it, start=0.5, seconds=0.3))
    assert ids(opened(data), "test") == ["test-0", "test-1"]


def test_of_each_cause_some_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    class Many(Noises):
        def recordings(self) -> list[Recording]:
            texts = [None, None, "zwölf", *[None] * 1200]
            return [
                Recording(f"u{n:04d}", "train", text, "x", tmp_path, listed=f"list, line {n}")
                for n, text in enumerate(texts)
            ]

    with pytest.raises(UserError) as error:
        Many(tmp_path / "none").prepare_data()
    assert str(error.value).splitlines() == [
        "noises: 1203 utterances cannot be used: correct them, or set data.on_unusable to drop to "
        "do without them",
        "  no transcript (1,202):",
        "    u0000 (list, line 0): there is none",
        "    u0001 (list, line 1): there is none",
        "    u0003 (list, line 3): there is none",
        "    and 1,199 more",
        "  character outside the vocabulary (1):",
        "    u0002 (list, line 2): 'ö' in 'zwölf'",
    ]


@pytest.mark.parametrize("name", ["x" * 300 + ".wav", "locked/x.wav"])
def test_a_name_that_cannot_be_looked_up_is_the_recordings_mistake(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exists = Path.exists

    def refuse(path: Path) -> bool:
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return exists(path)

    monkeypatch.setattr(Path, "exists", refuse)
    change = lambda it: replace(it, audio=folder / name, listed="list, line 7")  # noqa: E731
    said = rf"train-1 \(list, line 7\): audio cannot be read: {folder / name}: cannot be opened: "
    with pytest.raises(UserError, match=said):
        Noises(folder, "train-1", change).prepare_data()


def test_a_split_of_which_nothing_is_left_is_named(folder: Path) -> None:
    data = Noises(folder, min_seconds=0.5)
    with pytest.raises(
        UserError, match=r"falls to train; the first left out: train-0: too short: 0\.200 s"
    ):
        data.prepare_data()


def test_two_recordings_of_one_id_are_refused(folder: Path) -> None:
    data = Noises(folder, "test-1", lambda it: replace(it, id="train-2", listed="list.csv, line 7"))
    with pytest.raises(UserError, match=r"the id 'train-2' \(train and list\.csv, line 7\)"):
        data.prepare_data()


def test_a_moved_corpus_is_the_same(folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "elsewhere" / "copy"
    shutil.copytree(folder, there)
    assert Noises(there).folder.name == Noises(folder).folder.name


@pytest.mark.parametrize(
    "change",
    [
        lambda it: replace(it, text="two"),
        lambda it: replace(it, speaker="y"),
        lambda it: replace(it, split="test"),
        lambda it: replace(it, start=0.01),
        lambda it: replace(it, audio=it.audio.with_name("train-2.wav")),
    ],
)
def test_a_changed_list_is_another_corpus(folder: Path, change: Change) -> None:
    assert Noises(folder, "train-1", change).folder != Noises(folder).folder


def test_changed_files_and_limits_are_another_corpus(folder: Path) -> None:
    before = Noises(folder).folder
    assert Noises(folder, max_seconds=2.0).folder != before
    write_noise(folder / "train-1.wav", seconds=0.3)
    assert Noises(folder).folder != before


def test_a_lost_account_of_what_was_left_out_is_told(folder: Path) -> None:
    data = opened(Noises(folder))
    (data.folder / "dropped.jsonl").unlink()
    with pytest.raises(UserError, match=r"dropped\.jsonl: missing or damaged: delete that folder"):
        data.describe()


@pytest.mark.parametrize(("shortest", "longest"), [(-1.0, 2.0), (2.0, 2.0), (0.0, 0.0)])
def test_limits_leave_something(folder: Path, shortest: float, longest: float) -> None:
    with pytest.raises(UserError, match=r"data\.min_seconds is .* and data\.max_seconds"):
        Noises(folder, min_seconds=shortest, max_seconds=longest)


CORPORA = [AudioFolder, LhotseCuts, LibriSpeech, LibriSpeechHub, NemoManifest, Wsj]
SHARED = (
    *("min_seconds", "max_seconds", "on_unusable", "sample_rate", "mel_bins", "deltas"),
    *("cache_dir", "batch_size", "batch_frames", "eval_batch_size"),
)


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_corpus_has_the_same_settings_at_the_papers_numbers(
    corpus: type[RecordedSpeech],
) -> None:
    own, first = (inspect.signature(each).parameters for each in (corpus, Wsj))
    assert {name: own[name] for name in SHARED} == {name: first[name] for name in SHARED}
    assert (own["sample_rate"].default, own["mel_bins"].default) == (16000, 80)
    assert (own["deltas"].default, own["batch_size"].default) == (True, 8)


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_argument_is_told_by_help(corpus: type[RecordedSpeech]) -> None:
    parser = ArgumentParser()
    parser.add_class_arguments(corpus)
    for action in parser._actions:
        if action.dest in inspect.signature(corpus).parameters:
            assert action.help, action.dest


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_place_is_an_argument(corpus: type[RecordedSpeech]) -> None:
    assert set(corpus.places) <= set(inspect.signature(corpus).parameters)


def test_the_account_of_what_is_left_out_has_a_sum_of_its_own(folder: Path) -> None:
    """It decides no number: the corpus's own SHA-256 is what it was without."""
    whole = opened(Noises(folder, max_seconds=0.5))
    write_noise(folder / "extra.wav", seconds=0.6)

    class Longer(Noises):
        def recordings(self) -> list[Recording]:
            extra = Recording("extra", "train", "one", "x", self.root / "extra.wav")
            return [*super().recordings(), extra]

    data = opened(Longer(folder, max_seconds=0.5))
    assert data.sha256 == whole.sha256
    account = data.folder / "dropped.jsonl"
    said = account.read_text()
    account.write_text(said.replace("too long", "silent"))
    with pytest.raises(UserError, match=r"dropped\.jsonl: missing or damaged: delete that folder"):
        data.dropped()
    about = data.folder / "corpus.json"
    content = json.loads(about.read_text())
    del content["dropped.jsonl sha256"]  # as an earlier version has written it
    about.write_text(json.dumps(content))
    assert [str(item.reason) for item in data.dropped()] == ["silent"]
    account.write_text("")
    assert data.dropped() == []


def test_a_file_in_the_caches_place_is_told_before_the_corpus_is_looked_at(folder: Path) -> None:
    class Unlisted(Noises):
        def recordings(self) -> list[Recording]:
            pytest.fail("looked at")

    (folder.parent / "cache").touch()
    with pytest.raises(UserError, match=r"cache: is no folder, and .*\(data\.cache_dir\)"):
        Unlisted(folder).prepare_data()


def test_a_list_that_may_not_be_read_is_told_by_its_name(folder: Path) -> None:
    class Locked(Noises):
        def recordings(self) -> list[Recording]:
            raise PermissionError(13, "Permission denied", str(self.root / "list"))

    with pytest.raises(UserError, match=rf"^{folder}/list: cannot be read: Permission denied"):
        Locked(folder).prepare_data()
