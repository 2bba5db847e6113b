"""One file of a prepared corpus, opened for reading at any place."""

import os
import weakref
from pathlib import Path

from mocha_lightning.errors import UserError


class SealedFile:
    """A file that must stay as it was prepared for as long as it is open.

    It is read and not mapped into memory: a file that is cut short under a mapping kills a process.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)

    def fill(self, buffer: memoryview, start: int) -> None:
        """Read what fills a buffer.

        Args:
            buffer: contiguous memory to read into.
            start: byte of the file at which to begin.

        Raises:
            UserError: the file has been cut short since it was opened.
        """
        if os.preadv(self._file, [buffer], start) < buffer.nbytes:
            raise UserError(
                f"{self._path.resolve()}: has been cut short while it was in use: delete that "
                "folder and it will be built again"
            )
