"""How files are written whole or not at all."""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    *(errno.EROFS, errno.EACCES, errno.EPERM),
)
"""Errors of a folder that a user can mend: a full disk, one that is read only, no permission."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a name to write under; the file appears when all is written and on the disk.

    So nobody sees half a file, not even after a crash of the machine.

    Raises:
        OSError: it cannot be written; it names a file, which a full disk by itself does not.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole; text as UTF-8."""
    with whole(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def write_all(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files of a folder: none takes its place before all are written and on the disk.

    Args:
        folder: it is made where it is not there.
        files: by path within it; the first is the last to take its place.

    Raises:
        OSError: one cannot be written; those that were there are what they were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            unfinished = stack.enter_context(whole(path))
            with unfinished.open("wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                # A full disk may be found out only here.
                os.fsync(file.fileno())
