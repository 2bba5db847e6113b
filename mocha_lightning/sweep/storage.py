"""Where Optuna keeps a study: a file in the sweep's folder, or a database server."""

import fcntl
import logging
import os
import re
import sqlite3
import time
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import ExperimentalWarning, StorageInternalError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from mocha_lightning.errors import UserError

SQLITE, JOURNAL = "sqlite", "journal"
DATABASE = "study.db"
JOURNAL_FILE = "study.journal"
LOCK = ".study.lock"
WAIT_SECONDS = 30
"""How long a database is waited for, where somebody else writes or nobody answers."""
PATIENCE_SECONDS = 120
"""How long another command of the sweep is waited for, which may itself wait for the database."""
ANOTHER = "bring back a whole copy of it, or give the sweep another name (--name)"
REMEDIES = {
    "locked": "another program writes to it: end that",
    "malformed": ANOTHER,
    "not a database": ANOTHER,
    "readonly": "give write permission",
    "is full": "make room",
    "password": "mend the user or the password",
    "does not exist": "make it, or mend the URL",
    "unable to open": "mend the path",
}
"""What to do about an error of a database, by a piece of its text."""
DELETED = "Record does not exist."
"""What Optuna's storages say of a study or a trial that somebody has deleted."""


def open_storage(storage: str, folder: Path) -> BaseStorage:
    """Open a storage, or make it, within :func:`told`.

    Args:
        storage: ``sqlite``, ``journal``, or the URL of a database.
        folder: the sweep's, where the files are.

    Raises:
        UserError: it is no storage, is damaged or of another version of Optuna, or what speaks to
            it is not installed.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", category=ExperimentalWarning)
    if storage == JOURNAL:
        return _open_journal(folder / JOURNAL_FILE)
    place = _place(storage, folder)
    url = _url(storage, folder)
    try:
        return RDBStorage(
            url.render_as_string(hide_password=False),
            # A server may have ended a connection that rested while a trial went on.
            engine_kwargs={"connect_args": _patience(url), "pool_pre_ping": True},
        )
    except NoSuchModuleError as error:
        raise UserError(_no_storage(place, error)) from error
    except ImportError as error:
        remedy = "install the package that brings it"
        if url.get_backend_name() == "postgresql":
            remedy = (
                "pip install 'mocha-lightning[postgres]', and begin the URL with "
                "postgresql+psycopg://"
            )
        raise UserError(f"storage {place}: {_line(error.__cause__ or error)}: {remedy}") from error
    except RuntimeError as error:
        # What Optuna says of a storage that another version of it has made.
        if "version" not in str(error):
            raise
        raise UserError(f"storage {place}: {_line(error)}") from error


def without_password(storage: str) -> str:
    """A storage as it may be printed and kept, alone or behind its option.

    What has no password stays as it is.
    """
    # Not taken apart as a URL: one that is mistaken has a password too.
    beside_the_user = re.sub(r"(://[^/@]*?:).*@", r"\1***@", storage)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", beside_the_user)


def has_file(storage: str, folder: Path) -> bool:
    """Whether the file of a storage is there; of a server, True.

    Raises:
        UserError: it is no storage.
    """
    if storage == JOURNAL:
        return (folder / JOURNAL_FILE).exists()
    url = _url(storage, folder)
    return url.get_backend_name() != "sqlite" or Path(str(url.database)).exists()


@contextmanager
def told(storage: str, folder: Path) -> Iterator[None]:
    """Say in one line what is wrong with a storage that is used within.

    Raises:
        UserError: it cannot be reached, is locked or damaged, or cannot be written to.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, StorageInternalError) as error:
        cause = error.__cause__ or error
        said = _line(getattr(cause, "orig", None) or cause)
        remedies = (REMEDIES[piece] for piece in REMEDIES if piece in said)
        remedy = next(remedies, "see that it can be reached")
        raise UserError(f"storage {_place(storage, folder)}: {said}: {remedy}") from error
    except KeyError as error:
        if error.args != (DELETED,):
            raise
        raise UserError(
            f"storage {_place(storage, folder)}: the study, or a trial of it, is no longer there: "
            f"{ANOTHER}"
        ) from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other commands of this sweep waiting: they write one after the other.

    Raises:
        UserError: another command does not come to an end.
    """
    with (folder / LOCK).open("w") as file:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not _got(file.fileno()):
            if time.monotonic() > deadline:
                raise UserError(
                    f"{folder}: another command of this sweep has kept the study for "
                    f"{PATIENCE_SECONDS} s: end it, or let it go on where it was stopped (Ctrl-Z)"
                )
            time.sleep(0.02)
        yield


class _Journal(JournalFileBackend):
    """A journal that goes on behind its last whole line.

    A disk that is full takes half a line. Optuna leaves such an end alone, and writes on in the
    same line: then nobody can read what follows.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def read_logs(self, log_number_from: int) -> Generator[dict[str, Any], None, None]:
        """Read lines.

        Raises:
            UserError: one is none of Optuna's.
        """
        try:
            yield from super().read_logs(log_number_from)
        except ValueError as error:
            raise UserError(_damaged(self._path)) from error

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Write lines."""
        self._drop_half_a_line()
        try:
            super().append_logs(logs)
        except OSError as error:
            error.filename = error.filename or str(self._path)
            raise

    def _drop_half_a_line(self) -> None:
        with self._path.open("rb+") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)


def _open_journal(path: Path) -> JournalStorage:
    try:
        return JournalStorage(_Journal(path))
    # Whatever Optuna meets in lines that it has not written, or another version of it has.
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
        raise UserError(_damaged(path)) from error


def _damaged(path: Path) -> str:
    return f"storage {path}: is damaged, or of another version of Optuna: {ANOTHER}"


def _url(storage: str, folder: Path) -> URL:
    if storage == SQLITE:
        return URL.create("sqlite", database=str((folder / DATABASE).absolute()))
    place = without_password(storage)
    try:
        url = make_url(storage)
    except (ArgumentError, ValueError) as error:
        raise UserError(_no_storage(place, error)) from error
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise UserError(f"storage {place}: is forgotten when the command ends: name a file")
    return url


def _patience(url: URL) -> dict[str, int]:
    """How a driver is told how long to wait; what the URL says itself is left."""
    if url.get_backend_name() == "sqlite":
        return {"timeout": WAIT_SECONDS}
    if url.get_driver_name().startswith("psycopg") and "connect_timeout" not in url.query:
        return {"connect_timeout": WAIT_SECONDS}
    return {}


def _place(storage: str, folder: Path) -> str:
    files = {SQLITE: DATABASE, JOURNAL: JOURNAL_FILE}
    return str(folder / files[storage]) if storage in files else without_password(storage)


def _no_storage(place: str, error: Exception) -> str:
    said = f"is not {SQLITE}, {JOURNAL} or the URL of a database"
    return f"storage {place}: {said} ({_line(error)}): mend it"


def _got(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _line(error: object) -> str:
    return " ".join(str(error).split())
