"""Which runs some process is doing right now.

A run's process locks its folder. The system frees the lock however the process ends, so a lock is
never left over from a crash.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mocha_lightning.experiment.places import LOCK


class BusyError(Exception):
    """Another process has the lock."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run's lock.

    Raises:
        BusyError: another process has it.
    """
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError from error
        yield


def is_busy(folder: Path) -> bool:
    """Whether a process has a run's lock."""
    try:
        with (folder / LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
