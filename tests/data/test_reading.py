"""Preparing recordings: by any number of processes, stopped anywhere, with the same bytes."""

import csv
import io
import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from rich.console import Console

from mocha_lightning.data import AudioFolder, reading, recorded, workers, writing
from mocha_lightning.data.audio import read_audio
from mocha_lightning.data.recording import Candidate
from mocha_lightning.data.writing import JOURNAL, CacheWriter
from mocha_lightning.errors import UserError

from .recordings import SMALL, opened, write_noise

FORK = multiprocessing.get_context("fork")
COUNT = 24
SHORT = 7
"""The number of one recording that is too short."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Noise of various lengths and rates, one file too short, with their table."""
    place = tmp_path / "recordings"
    rows = []
    for number in range(COUNT):
        split = ("train", "train", "validation", "test")[number % 4]
        seconds = 0.05 if number == SHORT else 0.15 + 0.01 * number
        path = place / f"{number:02d}.wav"
        write_noise(path, number, seconds, rate=(8000, 16000)[number % 2])
        rows.append((path.name, "one two", "x", split))
    with (place / "metadata.csv").open("w") as file:
        csv.writer(file).writerows([("file_name", "text", "speaker", "split"), *rows])
    return place


def corpus(folder: Path, cache: str, jobs: int = 1, **changes: Any) -> AudioFolder:
    settings = {**SMALL, "folder": str(folder), "cache_dir": str(folder.parent / cache), **changes}
    data = AudioFolder(**settings)
    data.jobs = jobs
    return data


def content(data: AudioFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in data.folder.iterdir()}


def prepared(data: AudioFolder) -> dict[str, bytes]:
    data.prepare_data()
    return content(data)


def unfinished(data: AudioFolder) -> Path:
    return data.folder.with_name(data.folder.name + ".unfinished")


def test_any_number_of_processes_leaves_the_same_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = prepared(corpus(folder, "one"))
    monkeypatch.setattr(workers, "ALONE_SECONDS", 0.0)
    monkeypatch.setattr(recorded, "HEADERS", 3)
    assert prepared(corpus(folder, "many", jobs=3)) == alone


def test_what_is_prepared_is_what_the_files_hold(folder: Path) -> None:
    data = corpus(folder, "cache")
    opened(data)
    assert data._cache is not None
    numbers = [number for number in range(COUNT) if number != SHORT]
    for index, number in enumerate(numbers):
        samples = np.rint(read_audio(folder / f"{number:02d}.wav", 8000) * 32768) / 32768
        full = data.features.extract(samples.astype(np.float32), 8000)
        expected = data._cache.normalization.apply(full)
        assert np.array_equal(data._cache[index].numpy(), expected)


def kill_while_preparing(data: AudioFolder, lines: int) -> None:
    """Have a process prepare a corpus and be killed when so many recordings are noted."""

    def prepare() -> None:
        use = CacheWriter.use

        def slowly(*arguments: Any) -> None:
            use(*arguments)
            time.sleep(0.02)

        writing.COMMIT_SECONDS = 0.0
        workers.ALONE_SECONDS = 0.0
        CacheWriter.use = slowly  # type: ignore[method-assign]
        data.prepare_data()

    process = FORK.Process(target=prepare)
    process.start()
    journal = unfinished(data) / JOURNAL
    deadline = time.monotonic() + 180
    while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
        assert process.is_alive()
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert not data.folder.exists()


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The recordings that are read from now on."""
    read: list[str] = []
    extract = reading.extract_candidate

    def count(features: Any, limits: Any, candidate: Candidate) -> Any:
        read.append(candidate.recording.id)
        return extract(features, limits, candidate)

    monkeypatch.setattr(reading, "extract_candidate", count)
    return read


@pytest.mark.parametrize("lines", [1, 20])
def test_after_a_kill_only_the_rest_is_read_and_nothing_differs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    undisturbed = prepared(corpus(folder, "undisturbed"))
    data = corpus(folder, "cache", jobs=2)
    kill_while_preparing(data, lines)
    read = counted(monkeypatch)
    data.jobs = 1
    assert prepared(data) == undisturbed
    assert len(read) <= COUNT - 1 - lines
    assert list(data.folder.parent.iterdir()) == [data.folder]


def test_of_two_processes_one_prepares_and_both_have_it(folder: Path) -> None:
    processes = [FORK.Process(target=corpus(folder, "cache").prepare_data) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    data = corpus(folder, "cache")
    assert content(data) == prepared(corpus(folder, "alone"))
    assert list(data.folder.parent.iterdir()) == [data.folder]


def test_what_a_full_disk_has_taken_is_not_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = corpus(folder, "cache")
    write, taken = writing._write, 0

    def write_until_full(file: io.FileIO, content: bytes) -> None:
        nonlocal taken
        taken += 1
        if taken > 20:
            raise OSError(28, "No space left on device")
        write(file, content)

    with monkeypatch.context() as full:
        full.setattr(writing, "COMMIT_SECONDS", 0.0)
        full.setattr(writing, "_write", write_until_full)
        with pytest.raises(
            UserError, match=r"No space left on device: make room .*cache_dir.* goes on"
        ):
            data.prepare_data()
    undisturbed = prepared(corpus(folder, "undisturbed"))
    read = counted(monkeypatch)
    assert prepared(data) == undisturbed
    assert len(read) == COUNT - 1 - 6  # energies, sums and journal are three writes each


def test_too_little_room_is_told_before_anything_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = counted(monkeypatch)
    little = shutil.disk_usage("/")._replace(free=10_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: little)
    with pytest.raises(UserError, match=r"needs 0\.00 GiB more and 0\.00 GiB are free: make room"):
        corpus(folder, "cache").prepare_data()
    assert read == []


def test_the_room_that_is_needed_is_what_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a frame or two an utterance: windows at the end are cut off."""
    asked = []
    check = reading._check_room

    def watch(candidates: list[Candidate], writer: CacheWriter) -> None:
        asked.append(reading.room_for(candidates, writer))
        check(candidates, writer)

    monkeypatch.setattr(reading, "_check_room", watch)
    data = corpus(folder, "cache")
    data.prepare_data()
    rows = (COUNT - 1) * 2 * 3 * SMALL["mel_bins"] * 8
    taken = (data.folder / "energies.f32").stat().st_size + rows
    frames = 4 * SMALL["mel_bins"]
    assert taken <= asked[0] <= taken + 3 * COUNT * frames


def silence(folder: Path, number: int) -> Callable[[], None]:
    """Make a recording silent without its size; gives what makes it good again."""
    path = folder / f"{number:02d}.wav"
    before = path.read_bytes()
    info = soundfile.info(path)
    soundfile.write(path, np.zeros(info.frames), info.samplerate)
    assert len(path.read_bytes()) == len(before)
    return lambda: path.write_bytes(before) and None


def test_what_must_not_be_left_out_is_listed_and_mended_the_rest_is_gone_on_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = prepared(corpus(folder, "undisturbed"))
    mend = [silence(folder, number) for number in (12, 15)]
    data = corpus(folder, "cache")
    with pytest.raises(UserError, match=r"(?s)2 utterances cannot .*silent.* 12\.wav .* 15\.wav"):
        data.prepare_data()
    for each in mend:
        each()
    read = counted(monkeypatch)
    assert prepared(data) == undisturbed
    assert read == [f"{number}.wav" for number in range(12, COUNT)]


def test_recordings_that_come_and_go_are_told_and_nothing_is_mixed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = corpus(folder, "cache")
    kill_while_preparing(data, 9)
    candidates = AudioFolder.candidates
    for change in (lambda found: found[1:], lambda found: found[:3]):
        with monkeypatch.context() as changed:
            changed.setattr(
                AudioFolder, "candidates", lambda *given, c=change: c(candidates(*given))
            )
            with pytest.raises(UserError, match=r"begun with other recordings .* delete"):
                data.prepare_data()
    data.prepare_data()


def test_what_an_earlier_process_did_counts_as_done_in_the_progress(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = corpus(folder, "cache")
    kill_while_preparing(data, 9)
    said = io.StringIO()
    console = Console(file=said, force_terminal=True, width=120)
    monkeypatch.setattr(reading, "Console", lambda **_: console)
    seen = []
    monkeypatch.setattr(
        reading.Progress,
        "add_task",
        lambda _, told, **numbers: seen.append((told, numbers)) or 0,
    )
    monkeypatch.setattr(reading.Progress, "update", lambda *_, **told: seen.append(told))
    data.prepare_data()
    (told, numbers), *updates = seen
    done = int(told.partition("/")[0])
    assert done >= 9
    assert told.partition(", ")[0] == f"{done}/{COUNT - 1}"
    assert numbers["total"] == pytest.approx(sum(each for each in lengths() if each > 0.1), 0.01)
    begun = sum([each for each in lengths() if each > 0.1][:done])
    assert numbers["completed"] == round(begun) > 0
    assert len(updates) == COUNT - 1 - done
    assert updates[-1]["description"] == f"{COUNT - 1}/{COUNT - 1}, 0.00/0.00 h"


def lengths() -> list[float]:
    return [0.05 if number == SHORT else 0.15 + 0.01 * number for number in range(COUNT)]
