"""Where Optuna keeps a study: a file in the sweep's folder, or a database server."""

import fcntl
import logging
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from mocha_lightning.errors import UserError

SQLITE, JOURNAL = "sqlite", "journal"
DATABASE = "study.db"
LOCK = ".study.lock"
WAIT_SECONDS = 30
"""How long SQLite waits where somebody else writes."""


def open_storage(storage: str, folder: Path) -> BaseStorage:
    """Open a storage, or make it, within :func:`told`.

    Args:
        storage: ``sqlite``, ``journal``, or the URL of a database.
        folder: the sweep's, where the files are.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", category=ExperimentalWarning)
    if storage == JOURNAL:
        return JournalStorage(JournalFileBackend(str(folder / "study.journal")))
    if storage == SQLITE:
        storage = f"sqlite:///{(folder / DATABASE).absolute()}"
    arguments = {"timeout": WAIT_SECONDS} if storage.startswith("sqlite") else {}
    return RDBStorage(storage, engine_kwargs={"connect_args": arguments})


def without_password(storage: str) -> str:
    """A storage as it may be printed and kept. What is no URL stays as it is."""
    try:
        return make_url(storage).render_as_string(hide_password=True)
    except ArgumentError:
        return storage


@contextmanager
def told(storage: str, folder: Path) -> Iterator[None]:
    """Say in one line what is wrong with a storage that is used within.

    Raises:
        UserError: it cannot be reached, is locked, damaged, or of another version of Optuna.
    """
    place = folder / DATABASE if storage == SQLITE else without_password(storage)
    try:
        yield
    except (ArgumentError, NoSuchModuleError) as error:
        raise UserError(
            f"storage {place}: is not {SQLITE}, {JOURNAL} or the URL of a database "
            f"({_line(error)}): mend it"
        ) from error
    except ModuleNotFoundError as error:
        raise UserError(f"storage {place}: needs {error.name}: pip install it") from error
    except (SQLAlchemyError, sqlite3.Error, optuna.exceptions.StorageInternalError) as error:
        cause = error.__cause__ or error
        said = _line(getattr(cause, "orig", None) or cause)
        remedy = {
            "locked": "another program writes to it: end that, or take --storage journal",
            "malformed": "move it away to begin a new study",
            "not a database": "move it away to begin a new study",
        }
        what = next((remedy[key] for key in remedy if key in said), "see that it can be reached")
        raise UserError(f"storage {place}: {said}: {what}") from error
    except RuntimeError as error:
        # What Optuna says of a storage that another version of it has made.
        if "version" not in str(error):
            raise
        raise UserError(f"storage {place}: {_line(error)}") from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other commands of this sweep waiting: they write one after the other."""
    with (folder / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _line(error: object) -> str:
    return " ".join(str(error).split())
