"""A folder that is built once, whole or not at all."""

import errno
import fcntl
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mocha_lightning.errors import UserError

UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.EFBIG, errno.EEXIST, errno.ENOTDIR, errno.ENOENT, errno.ENAMETOOLONG),
)
SUFFIX = ".building"


def build_once(folder: Path, build: Callable[[Path], None]) -> None:
    """Have ``build`` fill the folder, unless it is there.

    It is filled under another name and then renamed, so a folder that is there is complete. Of
    several processes one builds and the others wait. What a killed process left is removed by the
    next that builds in the same parent folder.

    Args:
        folder: the folder to be.
        build: writes everything into the (empty) folder it is given.

    Raises:
        UserError: the disk is full or cannot be written to.
    """
    if folder.is_dir():
        return
    with _plain_errors(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock(folder.parent / ".lock"):
            if folder.is_dir():
                return
            for stale in folder.parent.glob(f"*{SUFFIX}"):
                shutil.rmtree(stale)
            unfinished = folder.with_name(folder.name + SUFFIX)
            unfinished.mkdir()
            print(f"Preparing {folder}: once, then it is kept", file=sys.stderr)
            try:
                build(unfinished)
                unfinished.rename(folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def _plain_errors(parent: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        raise UserError(
            f"cannot write the prepared corpus to {parent.resolve()}: {error.strerror}: "
            "make room or name another folder (data.cache_dir)"
        ) from error


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock; the system frees it however this process ends."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Waiting for another process that builds in {path.parent}", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
