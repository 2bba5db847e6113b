"""A prepared corpus is built once, whole or not at all."""

import errno
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from mocha_lightning.data.building import build_once
from mocha_lightning.errors import UserError

FORK = multiprocessing.get_context("fork")


def test_it_is_built_once(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "corpus"
    build_once(folder, lambda place: (place / "file").write_text("first") and None)
    build_once(folder, lambda _: pytest.fail("built again"))
    assert (folder / "file").read_text() == "first"


def test_processes_at_the_same_time_build_once(tmp_path: Path) -> None:
    folder, log = tmp_path / "corpus", tmp_path / "log"

    def build(place: Path) -> None:
        with log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.3)
        (place / "file").write_text("whole")

    processes = [FORK.Process(target=build_once, args=(folder, build)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(log.read_text().split()) == 1
    assert (folder / "file").read_text() == "whole"


def test_after_a_failure_those_that_waited_build_one_at_a_time(tmp_path: Path) -> None:
    begun, fail = FORK.Event(), FORK.Event()
    at_work, together = FORK.Value("i", 0), FORK.Value("i", 0)

    def failing(place: Path) -> None:
        begun.set()
        assert fail.wait(10)
        raise UserError("no luck")

    def build(place: Path) -> None:
        with at_work.get_lock():
            at_work.value += 1
            together.value = max(together.value, at_work.value)
        time.sleep(0.3)
        with at_work.get_lock():
            at_work.value -= 1
        raise UserError("no luck either")

    def begin(how: Callable[[Path], None]) -> BaseProcess:
        process = FORK.Process(target=build_once, args=(tmp_path / "corpus", how))
        process.start()
        return process

    processes = [begin(failing)]
    assert begun.wait(10)
    processes += [begin(build) for _ in range(2)]
    time.sleep(0.3)
    fail.set()
    time.sleep(0.1)
    processes.append(begin(build))
    for process in processes:
        process.join()
    assert together.value == 1


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def build(place: Path) -> None:
        (place / "half").touch()
        raise ValueError("no luck")

    with pytest.raises(ValueError, match="no luck"):
        build_once(tmp_path / "corpus", build)
    assert list(tmp_path.iterdir()) == []


def die_while_building(folder: Path, goes_on: bool) -> None:
    """Have a process write ``half`` into the folder and be killed."""
    started = FORK.Event()

    def build(place: Path) -> None:
        (place / "half").touch()
        started.set()
        time.sleep(60)

    process = FORK.Process(target=build_once, args=(folder, build), kwargs={"goes_on": goes_on})
    process.start()
    assert started.wait(10)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert not folder.exists()


def fill(place: Path) -> None:
    (place / "file").touch()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["corpus", "another"])
def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path, name: str) -> None:
    die_while_building(tmp_path / "corpus", goes_on=False)
    assert "corpus.building" in names(tmp_path)
    build_once(tmp_path / name, fill)
    assert names(tmp_path) == [name]
    assert names(tmp_path / name) == ["file"]


def test_what_is_being_built_is_left_alone(tmp_path: Path) -> None:
    begun, go_on = FORK.Event(), FORK.Event()

    def build(place: Path) -> None:
        begun.set()
        assert go_on.wait(10)
        fill(place)

    process = FORK.Process(target=build_once, args=(tmp_path / "corpus", build))
    process.start()
    assert begun.wait(10)
    build_once(tmp_path / "another", fill)
    go_on.set()
    process.join()
    assert names(tmp_path) == ["another", "corpus"]


def test_a_build_that_can_go_on_finds_what_a_killed_one_left(tmp_path: Path) -> None:
    die_while_building(tmp_path / "corpus", goes_on=True)
    build_once(tmp_path / "another", fill)
    assert "corpus.unfinished" in names(tmp_path)
    build_once(tmp_path / "corpus", fill, goes_on=True)
    assert names(tmp_path / "corpus") == ["file", "half"]
    assert names(tmp_path) == ["another", "corpus"]


def test_a_build_that_can_go_on_is_kept_when_it_fails_and_gone_where_it_wrote_nothing(
    tmp_path: Path,
) -> None:
    def fail(place: Path) -> None:
        raise ValueError("no luck")

    def begin_and_fail(place: Path) -> None:
        (place / "half").touch()
        fail(place)

    with pytest.raises(ValueError, match="no luck"):
        build_once(tmp_path / "corpus", fail, goes_on=True)
    assert names(tmp_path) == []
    with pytest.raises(ValueError, match="no luck"):
        build_once(tmp_path / "corpus", begin_and_fail, goes_on=True)
    assert names(tmp_path) == ["corpus.unfinished"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES])
def test_a_full_or_read_only_disk_is_one_line(tmp_path: Path, code: int) -> None:
    def build(place: Path) -> None:
        raise OSError(code, os.strerror(code))

    with pytest.raises(UserError, match=os.strerror(code)) as error:
        build_once(tmp_path / "corpus", build)
    assert str(tmp_path) in str(error.value)
    assert "data.cache_dir" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_in_the_folders_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(UserError, match=r"data\.cache_dir"):
        build_once(tmp_path / "cache" / "corpus", lambda _: None)


def test_a_place_where_nothing_can_be_made_is_one_line() -> None:
    with pytest.raises(UserError, match=r"/proc/cache: .*data\.cache_dir"):
        build_once(Path("/proc/cache/corpus"), lambda _: None)


@pytest.mark.parametrize("name", ["cache", "cache/corpus"])
def test_what_stands_where_the_folder_is_to_be_is_told_before_anything_is_built(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / name).rmdir() if name == "cache" else None
    (tmp_path / name).touch()
    with pytest.raises(UserError, match=rf"^{tmp_path / name}: is no folder, and the prepared"):
        build_once(tmp_path / "cache" / "corpus", lambda _: pytest.fail("built"))


@pytest.mark.parametrize("code", [errno.EACCES, errno.ENOENT, errno.ENAMETOOLONG])
def test_a_source_that_cannot_be_read_is_told_by_its_own_name(tmp_path: Path, code: int) -> None:
    source = tmp_path / "sounds" / "list.csv"

    def build(place: Path) -> None:
        raise OSError(code, os.strerror(code), str(source))

    with pytest.raises(UserError) as error:
        build_once(tmp_path / "cache" / "corpus", build)
    assert str(error.value) == (
        f"{source}: cannot be read: {os.strerror(code)}: give access to it, or correct where the "
        "data are (data.*)"
    )


def test_a_file_of_the_prepared_corpus_that_cannot_be_written_is_the_cache_s(
    tmp_path: Path,
) -> None:
    def build(place: Path) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(place / "file"))

    with pytest.raises(UserError, match=rf"prepared corpus to {tmp_path}/cache: Permission"):
        build_once(tmp_path / "cache" / "corpus", build)
