"""Where Numba keeps what it has compiled: a folder named by the content of these files.

Numba looks at the date of the file that a function is in, and not at those it calls from others.
"""

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numba
from platformdirs import user_cache_path

LOGGER = logging.getLogger(__name__)


@contextmanager
def kept_by_content(sources: Path) -> Iterator[bool]:
    """Have Numba keep what is decorated meanwhile.

    Says so where nothing has been kept yet, since to compile takes a while.

    Args:
        sources: the folder whose files hold all the code that is compiled together.

    Yields:
        False where nothing can be kept: no folder for it can be written.
    """
    digest = hashlib.sha256()
    for file in sorted(sources.rglob("*.py")):
        digest.update(file.read_bytes())
    folder = user_cache_path("mocha-lightning") / "kernels" / digest.hexdigest()[:16]
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    writable = folder.is_dir() and _can_write(folder)
    if not writable:
        _say(f"every time: they cannot be kept in {folder}")
    elif not any(folder.iterdir()):
        _say(f"once: they are kept in {folder}")
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        yield writable
    finally:
        numba.config.CACHE_DIR = before


def discard_kept() -> None:
    """Remove what is kept in the folder of now, so that the next process compiles it anew."""
    shutil.rmtree(numba.config.CACHE_DIR, ignore_errors=True)
    LOGGER.warning("compiling the attention kernels again: they could not be kept, or read")


def _can_write(folder: Path) -> bool:
    # What a permission says is not all: the file system may be read-only, or full.
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def _say(how_often: str) -> None:
    LOGGER.warning("compiling the attention kernels takes up to half a minute, %s", how_often)
