"""A corpus that is written in several goes, each cut off anywhere, is the one written in one."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mocha_lightning.data import LogMel, writing
from mocha_lightning.data.cache import Utterance
from mocha_lightning.data.extraction import Extraction, extract
from mocha_lightning.data.unusable import Dropped, Reason
from mocha_lightning.data.writing import ENERGIES, JOURNAL, SUMS, CacheWriter, completed
from mocha_lightning.errors import UserError

FEATURES = LogMel(8000, 4)
FILES = (ENERGIES, SUMS, JOURNAL)


def outcomes() -> list[tuple[str, Extraction | Dropped]]:
    """What became of six recordings; one of them was left out."""
    generator = np.random.default_rng(0)
    found: list[tuple[str, Extraction | Dropped]] = []
    for number in range(6):
        samples = generator.integers(-9000, 9000, 500 + 100 * number).astype(np.int16)
        found.append((f"u{number}", extract(FEATURES, samples)))
    found[3] = "ü3", Dropped("ü3 (list, line 4)", "test", Reason.SILENT, "is silent")
    return found


def take(writer: CacheWriter, name: str, outcome: Extraction | Dropped) -> None:
    if isinstance(outcome, Dropped):
        writer.drop(name, outcome)
    else:
        split = "test" if name == "u5" else "train"
        writer.use(Utterance(name, split, "ein wört", "x", {"rate": 0.1}), outcome)


def go_on(folder: Path, stop: int = 6) -> int:
    """Write what is missing up to some outcome; give how many were there."""
    with CacheWriter(folder, FEATURES) as writer:
        begun = len(writer.notes)
        assert [note.id for note in writer.notes] == [name for name, _ in outcomes()[:begun]]
        for name, outcome in outcomes()[begun:stop]:
            take(writer, name, outcome)
        if stop == 6:
            writer.finish({})
    return begun


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a corpus that was written in one go."""
    folder = tmp_path_factory.mktemp("whole")
    assert go_on(folder) == 0
    assert completed(folder)
    return content(folder)


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def cuts(folder: Path, before: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Every place within the last record of each file."""
    for name in FILES:
        size = (folder / name).stat().st_size
        step = 1 if name == JOURNAL else max(1, (size - before[name]) // 40)
        yield from ((name, at) for at in range(before[name], size + 1, step))


def test_wherever_the_last_record_is_cut_the_rest_is_written_again(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    (tmp_path / "stopped").mkdir()
    go_on(tmp_path / "stopped", 2)
    before = {name: (tmp_path / "stopped" / name).stat().st_size for name in FILES}
    go_on(tmp_path / "stopped", 3)
    found = set()
    for name, size in cuts(tmp_path / "stopped", before):
        folder = tmp_path / f"{name}-{size}"
        shutil.copytree(tmp_path / "stopped", folder)
        with (folder / name).open("r+b") as file:
            file.truncate(size)
        found.add(go_on(folder))
        assert completed(folder)
        assert content(folder) == whole
    assert found == {2, 3}


@pytest.mark.parametrize("stop", range(7))
def test_a_writer_goes_on_after_any_number_of_outcomes(
    tmp_path: Path, whole: dict[str, bytes], stop: int
) -> None:
    for at in range(stop):
        assert go_on(tmp_path, at) == max(0, at - 1)
    go_on(tmp_path)
    assert completed(tmp_path)
    assert content(tmp_path) == whole


def test_what_was_written_and_not_noted_is_written_again(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    go_on(tmp_path, 2)
    for name in FILES[:2]:
        with (tmp_path / name).open("ab") as file:
            file.write(b"?" * 99)
    assert go_on(tmp_path) == 2
    assert completed(tmp_path)
    assert content(tmp_path) == whole


NOTE = {
    "id": "u0",
    "used": {
        "id": "u0", "split": "train", "text": "a", "speaker": "x", "details": {}, "seconds": 0.1,
        "frames": 5,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        *({"frames": value} for value in (-1, 0, 1.5, "5", None, True)),
        *({"seconds": value} for value in (-1.0, float("nan"), float("inf"), "1")),
        *({"text": None}, {"id": 3}, {"details": []}, {"more": 1}),
    ],
)
def test_a_journal_of_odd_values_is_damaged(tmp_path: Path, changes: dict[str, object]) -> None:
    go_on(tmp_path, 2)
    (tmp_path / JOURNAL).open("a").write(
        json.dumps({**NOTE, "used": {**NOTE["used"], **changes}}) + "\n"
    )
    with pytest.raises(UserError, match=rf"{tmp_path}/{JOURNAL}, line 3: is damaged: delete that"):
        CacheWriter(tmp_path, FEATURES)


@pytest.mark.parametrize("line", ["3", "[]", "{}", '{"id": 3, "dropped": {"reason": "x"}}', "null"])
def test_a_journal_of_other_things_is_damaged(tmp_path: Path, line: str) -> None:
    (tmp_path / JOURNAL).write_text(line + "\n")
    with pytest.raises(UserError, match="line 1: is damaged"):
        CacheWriter(tmp_path, FEATURES)


def test_a_full_disk_loses_what_it_did_not_take_and_no_more(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: object, data: bytes) -> None:
        assert isinstance(file, writing.FileIO)
        file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    def write_until_it_is_full() -> None:
        with CacheWriter(tmp_path, FEATURES) as writer:
            for name, outcome in outcomes()[:3]:
                take(writer, name, outcome)
            writer.commit()
            monkeypatch.setattr(writing, "_write", full)
            take(writer, *outcomes()[4])

    with pytest.raises(OSError, match="No space left"):
        write_until_it_is_full()
    monkeypatch.undo()
    assert go_on(tmp_path) == 3
    assert completed(tmp_path)
    assert content(tmp_path) == whole


def test_a_line_of_the_journal_that_was_interrupted_is_written_again(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = writing._write

    def interrupted(file: writing.FileIO, data: bytes) -> None:
        if Path(str(file.name)).name == JOURNAL:
            monkeypatch.setattr(writing, "_write", write)
            write(file, data[: len(data) // 2])
            raise KeyboardInterrupt
        write(file, data)

    def stop() -> None:
        with CacheWriter(tmp_path, FEATURES) as writer:
            for name, outcome in outcomes()[:3]:
                take(writer, name, outcome)
            writer.commit()

    monkeypatch.setattr(writing, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stop()
    assert go_on(tmp_path) == 3
    assert completed(tmp_path)
    assert content(tmp_path) == whole


def test_what_ended_the_work_is_told_and_not_what_the_disk_says_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    def stop() -> None:
        with CacheWriter(tmp_path, FEATURES) as writer:
            take(writer, *outcomes()[0])
            monkeypatch.setattr(os, "fsync", full)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()


def test_a_file_takes_all_of_what_a_disk_takes_in_parts(tmp_path: Path) -> None:
    class Slow(writing.FileIO):
        def write(self, data: object) -> int:
            return super().write(memoryview(data)[:3])  # type: ignore[arg-type]

    with Slow(tmp_path / "file", "wb") as file:
        writing._write(file, b"all of this")
    assert (tmp_path / "file").read_bytes() == b"all of this"


def test_the_journal_names_nothing_that_is_not_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Energies and sums are forced to the disk before the journal grows, and it is after."""
    sizes = []

    def watch(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        sizes.append((name, (tmp_path / JOURNAL).stat().st_size))

    monkeypatch.setattr(os, "fsync", watch)
    with CacheWriter(tmp_path, FEATURES) as writer:
        take(writer, *outcomes()[0])
        writer.commit()
        grown = (tmp_path / JOURNAL).stat().st_size
        assert sizes == [(ENERGIES, 0), (SUMS, 0), (JOURNAL, grown)]
        assert grown > 0


def test_work_is_committed_every_few_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(writing.time, "monotonic", lambda: now)
    noted = []
    with CacheWriter(tmp_path, FEATURES) as writer:
        for name, outcome in outcomes():
            now += 2
            take(writer, name, outcome)
            noted.append((tmp_path / JOURNAL).read_bytes().count(b"\n"))
    assert noted == [0, 0, 3, 3, 3, 6]


def test_a_folder_is_complete_only_when_all_is_written(tmp_path: Path) -> None:
    go_on(tmp_path, 5)
    assert not completed(tmp_path)
    assert {JOURNAL, SUMS} <= set(content(tmp_path))
    go_on(tmp_path)
    assert completed(tmp_path)
    assert not {JOURNAL, SUMS} & set(content(tmp_path))
