"""Bringing home what a run leaves on a node that does not see the folder of runs."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from experiment.running import WANDERING, bits, toy_spec
from mocha_lightning.experiment.executors import gathering
from mocha_lightning.experiment.executors.away import Errand, installed
from mocha_lightning.experiment.executors.base import Ended
from mocha_lightning.experiment.executors.gathering import (
    Files,
    Keeper,
    Link,
    StaleError,
    do_gathered,
    read_changed,
    signatures,
    write_files,
)
from mocha_lightning.experiment.executors.serial import Serial
from mocha_lightning.experiment.exits import BUSY, FAILED
from mocha_lightning.experiment.locks import is_busy, locked
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run comes to the same there, and need not load its libraries again."""

    def do(errand: Errand, folder: Path, beside: Callable[[], None], door: object) -> int | None:
        (job,) = Serial(DISABLED).begin({folder: errand.spec})
        beside()
        return job.exitcode

    monkeypatch.setattr(gathering, "do_in_child", do)


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the same run where it was done here."""
    folder = tmp_path_factory.mktemp("home")
    WANDERING.write(folder)
    Serial(DISABLED).begin({folder: WANDERING})
    return folder


def errand(folder: Path, spec: RunSpec = WANDERING) -> Errand:
    return Errand(folder, spec, DISABLED, Path.cwd(), installed())


def test_a_run_done_elsewhere_is_the_same_at_home(at_home: Path, tmp_path: Path) -> None:
    WANDERING.write(tmp_path)
    assert do_gathered(errand(tmp_path), Keeper()) == Ended(0)
    assert bits(tmp_path) == bits(at_home)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in at_home.iterdir()}
    assert not is_busy(tmp_path)


def test_a_run_is_begun_from_what_is_at_home(at_home: Path, tmp_path: Path) -> None:
    """As it is where the node that did it is lost; what has its result is not done again."""
    WANDERING.write(tmp_path)
    files = read_changed(at_home, {})
    write_files(tmp_path, {name: files[name] for name in files if name != "log.txt"})
    assert do_gathered(errand(tmp_path), Keeper()) == Ended(0)
    assert (tmp_path / "log.txt").read_text().count("\n") == 1
    assert bits(tmp_path) == bits(at_home)


def test_a_run_of_another_command_is_left_to_it(tmp_path: Path) -> None:
    with locked(tmp_path):
        assert do_gathered(errand(tmp_path), Keeper()) == Ended(BUSY)


def test_a_run_is_locked_until_its_node_lets_go(tmp_path: Path) -> None:
    keeper = Keeper()
    keeper.begin(tmp_path, "first")
    assert is_busy(tmp_path)
    keeper.end(tmp_path, "first")
    assert not is_busy(tmp_path)


def test_a_node_that_was_given_up_can_write_no_more(tmp_path: Path) -> None:
    """It may be cut off and alive, and another have the run."""
    keeper = Keeper()
    keeper.begin(tmp_path, "first")
    keeper.keep(tmp_path, "first", {"curves.jsonl": b"old"})
    assert keeper.begin(tmp_path, "second") == {"curves.jsonl": b"old"}
    with pytest.raises(StaleError):
        keeper.keep(tmp_path, "first", {"curves.jsonl": b"late"})
    with pytest.raises(StaleError):
        keeper.end(tmp_path, "first")
    assert is_busy(tmp_path)
    assert (tmp_path / "curves.jsonl").read_text() == "old"


def test_a_sweep_that_gives_a_run_up_reaches_its_node(tmp_path: Path) -> None:
    keeper = Keeper()
    keeper.begin(tmp_path, "first")
    assert keeper.keep(tmp_path, "first", {}) == {}
    (tmp_path / "pruned.json").write_text("{}")
    assert keeper.keep(tmp_path, "first", {}) == {"pruned.json": b"{}"}


def test_a_disk_that_is_full_there_is_told_at_home(tmp_path: Path) -> None:
    spec = toy_spec(full_at=3)
    spec.write(tmp_path)
    assert do_gathered(errand(tmp_path, spec), Keeper()) == Ended(FAILED)
    said = read_progress(tmp_path).problem
    assert said is not None
    assert "No space left on device" in said


def test_a_disk_that_is_full_at_home_ends_the_run_in_a_line(tmp_path: Path) -> None:
    class Full(Keeper):
        def keep(self, folder: Path, attempt: str, files: Files) -> Files:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder / "log.txt"))

    toy_spec().write(tmp_path)
    ended = do_gathered(errand(tmp_path, toy_spec()), Full())
    said = f"{tmp_path / 'log.txt'}: No space left on device: make room or give access"
    assert ended == Ended(FAILED, said)


def test_files_are_read_and_written_in_an_order_in_which_they_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint is no newer than the curves beside it, and a result is there last."""
    names = ["checkpoints/best.ckpt", "checkpoints/last.ckpt", "curves.jsonl", "result.json"]
    write_files(tmp_path, dict.fromkeys(names, b""))
    files = read_changed(tmp_path, {})
    read = ["result.json", "checkpoints/last.ckpt", "checkpoints/best.ckpt", "curves.jsonl"]
    assert list(files) == read
    written: list[str] = []
    monkeypatch.setattr(
        gathering, "write_whole", lambda path, _: written.append(str(path.relative_to(tmp_path)))
    )
    write_files(tmp_path, files)
    assert written == read[::-1]


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": b"1", "folder/b": b"2", "link": Link("a")})
    (tmp_path / ".lock").touch()
    seen = signatures(tmp_path)
    assert read_changed(tmp_path, {}) == {"a": b"1", "folder/b": b"2", "link": Link("a")}
    write_files(tmp_path, {"a": b"3"})
    assert read_changed(tmp_path, seen) == {"a": b"3"}


def test_a_run_whose_node_is_lost_is_nobodys(tmp_path: Path) -> None:
    """So it is begun again, and what the lost node may still send is not taken."""
    WANDERING.write(tmp_path)
    keeper = Keeper()
    keeper.begin(tmp_path, "lost")
    assert is_busy(tmp_path)
    keeper.abandon(tmp_path)
    assert not is_busy(tmp_path)
    with pytest.raises(StaleError):
        keeper.keep(tmp_path, "lost", {"log.txt": b"late"})
    assert keeper.begin(tmp_path, "next") is not None


def test_a_node_without_room_for_a_folder_says_so_and_frees_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WANDERING.write(tmp_path)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/scratch")

    def refuse(**_: object) -> None:
        raise full

    monkeypatch.setattr(gathering, "TemporaryDirectory", refuse)
    said = "/scratch: No space left on device: make room or give access"
    assert do_gathered(errand(tmp_path), Keeper()) == Ended(FAILED, said)
    assert not is_busy(tmp_path)
