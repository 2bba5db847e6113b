"""A storage that cannot be used is told in a line, before anything is tried."""

import errno
import fcntl
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages.journal import JournalFileBackend

from mocha_lightning.errors import UserError
from mocha_lightning.sweep import storage as storages
from mocha_lightning.sweep.storage import alone, open_storage, told, without_password


def study_of(storage: str, folder: Path) -> optuna.Study:
    """A study as a command opens it."""
    with told(storage, folder):
        return optuna.create_study(
            storage=open_storage(storage, folder), study_name="rate", load_if_exists=True
        )


def complaint(storage: str, folder: Path) -> str:
    with pytest.raises(UserError) as caught:
        study_of(storage, folder).ask()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("storage", "shown"),
    [
        ("postgresql://me:secret@host/studies", "postgresql://me:***@host/studies"),
        ("postgresql://me:s3cr:et@host/studies", "postgresql://me:***@host/studies"),
        ("postgresql://me:p@ss/word@host/studies", "postgresql://me:***@host/studies"),
        ("postgresql://me:secret@host:port/studies", "postgresql://me:***@host:port/studies"),
        ("--storage=postgresql://me:secret@host/a", "--storage=postgresql://me:***@host/a"),
        ("postgresql://host/a?password=secret&user=me", "postgresql://host/a?password=***&user=me"),
        ("postgresql://host:5432/studies", "postgresql://host:5432/studies"),
        ("--trials", "--trials"),
    ],
)
def test_a_password_is_never_shown(storage: str, shown: str) -> None:
    assert without_password(storage) == shown


@pytest.mark.parametrize(
    ("storage", "said"),
    [
        ("nonsense", "storage nonsense: is not sqlite, journal or the URL of a database"),
        ("nonsense://a/b", "is not sqlite, journal or the URL of a database"),
        ("postgresql+none://a/b", "is not sqlite, journal or the URL of a database"),
        ("postgresql://me:secret@host:port/b", "me:***@host:port/b: is not sqlite, journal or"),
        ("sqlite://", "is forgotten when the command ends: name a file"),
        ("sqlite:///:memory:", "is forgotten when the command ends: name a file"),
        ("sqlite:////nowhere/at/all/study.db", "unable to open database file: mend the path"),
        ("mysql+aiomysql://a/b", "No module named 'aiomysql': install the package that brings it"),
        (
            "postgresql+pg8000://a/b",
            "No module named 'pg8000': pip install 'mocha-lightning[postgres]', and begin the URL "
            "with postgresql+psycopg://",
        ),
    ],
)
def test_what_is_no_storage_or_cannot_be_spoken_to(tmp_path: Path, storage: str, said: str) -> None:
    assert said in complaint(storage, tmp_path)


def test_a_database_that_another_program_writes_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_of("sqlite", tmp_path)
    monkeypatch.setattr(storages, "WAIT_SECONDS", 0.1)
    other = sqlite3.connect(tmp_path / "study.db")
    other.execute("BEGIN EXCLUSIVE")
    place = tmp_path / "study.db"
    said = f"storage {place}: database is locked: another program writes to it: end that"
    assert complaint("sqlite", tmp_path) == said
    other.close()
    study_of("sqlite", tmp_path)


def test_a_study_that_another_command_keeps_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storages, "PATIENCE_SECONDS", 0.1)
    with (tmp_path / ".study.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="another command of this sweep has kept the study"):
            alone(tmp_path).__enter__()
    with alone(tmp_path):
        pass


def test_a_journal_s_lock_that_a_killed_program_has_left_is_waited_for_and_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_of("journal", tmp_path)
    lock = tmp_path / "study.journal.lock"
    lock.symlink_to("study.journal")
    monkeypatch.setattr("time.sleep", lambda _: None)
    clock = iter(range(0, 10_000, 5))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    assert study_of("journal", tmp_path).ask().number == 0
    assert not lock.is_symlink()


def change_version(path: Path, version: str) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE alembic_version SET version_num = ?", (version,))
        database.execute("UPDATE version_info SET library_version = '2.10.0'")
    database.close()


@pytest.mark.parametrize(
    ("version", "remedy"),
    [
        ("v2.6.0.a", r"Please execute `\$ optuna storage upgrade"),
        ("v99.0.0", "Please try updating optuna to the latest version"),
    ],
)
def test_a_database_of_another_version_of_optuna(tmp_path: Path, version: str, remedy: str) -> None:
    study_of("sqlite", tmp_path)
    change_version(tmp_path / "study.db", version)
    with pytest.raises(UserError, match=rf"study\.db: .*set up by optuna 2\.10\.0.*{remedy}"):
        study_of("sqlite", tmp_path)


def no_database(path: Path) -> None:
    path.write_text("no database at all, and long enough to be none")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def scribbled(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"x" * (len(content) - 4096))


@pytest.mark.parametrize("damage", [no_database, cut, scribbled])
def test_a_damaged_database(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    study_of("sqlite", tmp_path)
    damage(tmp_path / "study.db")
    said = complaint("sqlite", tmp_path)
    assert said.startswith(f"storage {tmp_path / 'study.db'}: ")
    assert "bring back a whole copy of it, or give the sweep another name (--name)" in said


@pytest.mark.parametrize(
    "content",
    [
        b"no journal\nat all\n",
        b"\xff\xfe\n\n",
        b"[1]\n",
        b'{"op_code": 99, "worker_id": "a"}\n',
        b'{"operation": 0}\n',
    ],
)
def test_a_damaged_journal_or_one_of_another_version(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "study.journal"
    path.write_bytes(content)
    said = complaint("journal", tmp_path)
    assert said.startswith(f"storage {path}: is damaged, or of another version of Optuna: bring")
    assert path.read_bytes() == content


def test_a_journal_that_is_damaged_as_a_command_works_is_a_line(tmp_path: Path) -> None:
    study = study_of("journal", tmp_path)
    path = tmp_path / "study.journal"
    with path.open("a") as file:
        file.write("rubbish\n")
    with pytest.raises(UserError, match=r"study\.journal: is damaged, or of another version"):
        study.ask()


def test_a_journal_goes_on_behind_its_last_whole_line(tmp_path: Path) -> None:
    study_of("journal", tmp_path).ask()
    path = tmp_path / "study.journal"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"op_code": 4, "work')
    assert study_of("journal", tmp_path).ask().number == 1
    assert study_of("journal", tmp_path).ask().number == 2
    assert path.read_bytes().startswith(whole)
    assert all(map(json.loads, path.read_text().splitlines()))


def test_a_journal_that_does_not_fit_on_the_disk_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: JournalFileBackend, logs: list[dict[str, Any]]) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(JournalFileBackend, "append_logs", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*study\.journal'"):
        study_of("journal", tmp_path)


def test_a_database_that_may_only_be_read(tmp_path: Path) -> None:
    study_of("sqlite", tmp_path)
    url = f"sqlite:///file:{tmp_path / 'study.db'}?mode=ro&uri=true"
    assert "attempt to write a readonly database: give write permission" in complaint(url, tmp_path)


@pytest.mark.parametrize("storage", ["sqlite", "journal"])
def test_a_folder_in_the_place_of_the_storage(tmp_path: Path, storage: str) -> None:
    name = {"sqlite": "study.db", "journal": "study.journal"}[storage]
    (tmp_path / name).mkdir()
    with pytest.raises((UserError, IsADirectoryError), match=name):
        study_of(storage, tmp_path)
