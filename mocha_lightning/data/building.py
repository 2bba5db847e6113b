"""A folder that is built once, whole or not at all."""

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mocha_lightning.errors import UserError

UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.EFBIG, errno.EEXIST, errno.ENOTDIR, errno.ENOENT, errno.ENAMETOOLONG),
)
BUILDING, UNFINISHED = ".building", ".unfinished"
"""Added to a folder's name while it is filled; the second where a new build can go on with it."""


def build_once(folder: Path, build: Callable[[Path], None], *, goes_on: bool = False) -> None:
    """Have ``build`` fill the folder, unless it is there.

    It is filled under another name and then renamed, so a folder that is there is complete. Of
    several processes one builds and the others wait.

    What was left of a build that can go on is kept until it does, for its name says what it is
    part of. What a killed process left of one that cannot is removed by the next that builds in
    the same parent folder, if nobody has its lock.

    Args:
        folder: the folder to be.
        build: writes everything into the folder it is given.
        goes_on: whether ``build`` makes use of what it finds there when it was stopped before;
            otherwise the folder is empty.

    Raises:
        UserError: the disk is full or cannot be written to; something that is no folder has the
            folder's name or one above it; what is read cannot be.
    """
    if folder.is_dir():
        return
    check_free(folder)
    with _plain_errors(folder.parent, goes_on):
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = folder.with_name(folder.name + (UNFINISHED if goes_on else BUILDING))
        with _lock(unfinished):
            if folder.is_dir():
                return
            _remove_leftovers(folder.parent)
            if not goes_on:
                shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(exist_ok=goes_on)
            print(f"Preparing {folder}: once, then it is kept", file=sys.stderr)
            try:
                with plain_source_errors(unfinished):
                    build(unfinished)
                unfinished.rename(folder)
            finally:
                if not goes_on:
                    shutil.rmtree(unfinished, ignore_errors=True)
                # Where nothing was written there is nothing to keep.
                with suppress(OSError):
                    unfinished.rmdir()


def check_free(folder: Path) -> None:
    """Check that no file stands where a folder is to be, before any work is done for it.

    Raises:
        UserError: one does.
    """
    for place in (folder, *folder.parents):
        # A link that leads nowhere stands in the way, too.
        if os.path.lexists(place):
            if not place.is_dir():
                raise UserError(
                    f"{place.resolve()}: is no folder, and the prepared corpus is to lie there: "
                    "remove it or name another folder (data.cache_dir)"
                )
            return


@contextmanager
def plain_source_errors(written: Path | None = None) -> Iterator[None]:
    """Have what cannot be read told by its own name; what cannot be written is another matter.

    Args:
        written: the folder that is written to, if any is.

    Raises:
        UserError: the system refuses a file or folder that lies elsewhere.
    """
    try:
        yield
    except OSError as error:
        name = error.filename
        if error.errno not in UNWRITABLE or not isinstance(name, str | bytes):
            raise
        path = Path(os.fsdecode(name))
        if written is not None and path.resolve().is_relative_to(written.resolve()):
            raise
        raise UserError(
            f"{path}: cannot be read: {error.strerror}: give access to it, or correct where the "
            "data are (data.*)"
        ) from error


def _remove_leftovers(parent: Path) -> None:
    for stale in parent.glob(f"*{BUILDING}"):
        with suppress(OSError), _lock(stale, wait=False):
            shutil.rmtree(stale, ignore_errors=True)


@contextmanager
def _plain_errors(parent: Path, goes_on: bool) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        kept = "; what is done is kept, and the same command goes on" if goes_on else ""
        raise UserError(
            f"cannot write the prepared corpus to {parent.resolve()}: {error.strerror}: "
            f"make room or name another folder (data.cache_dir){kept}"
        ) from error


@contextmanager
def _lock(unfinished: Path, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a folder that is built; the system frees it however this process ends.

    Raises:
        BlockingIOError: another process has it, and this one is not to wait.
    """
    path = unfinished.with_name(f".{unfinished.name}.lock")
    while True:
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not wait:
                    raise
                folder = unfinished.with_suffix("")
                print(f"Waiting for another process that prepares {folder}", file=sys.stderr)
                fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_still_at(file.fileno(), path):
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def _is_still_at(descriptor: int, path: Path) -> bool:
    """Whether an open file has not been removed while its lock was waited for."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
