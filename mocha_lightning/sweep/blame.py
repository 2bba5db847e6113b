"""Telling in a line whose fault it is where a sampler or a pruner raises whatever it likes."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from optuna.exceptions import StorageInternalError
from sqlalchemy.exc import SQLAlchemyError

from mocha_lightning.errors import UserError, in_a_line
from mocha_lightning.experiment.document import Document

ANOTHERS = (UserError, OSError, SQLAlchemyError, sqlite3.Error, StorageInternalError)
"""Errors that come through it from the storage, and are told elsewhere."""


@contextmanager
def blamed(document: Document, key: str) -> Iterator[None]:
    """Blame a class that the sweep file names for what is raised within.

    Args:
        document: the sweep's.
        key: of the class, ``sampler`` or ``pruner``.

    Raises:
        UserError: something was.
    """
    try:
        yield
    except ANOTHERS:
        raise
    # Whatever it makes of a space, a history or arguments that it cannot use.
    except Exception as error:
        raise UserError(
            f"{document.where((key,))}: {in_a_line(error)}: mend its arguments, install what it "
            "needs, or choose another"
        ) from error
