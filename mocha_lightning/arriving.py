"""Input that is taken from the first moment on, also while nobody has time for it yet."""

import os
import select
from queue import Queue
from threading import Thread

PIECE = 1 << 14
"""Bytes that are read at a time, at most."""
MOST_PIECES = 4096
"""That wait: at the most 64 MiB, half an hour of sound."""


class Arriving:
    """Reads a file in a thread of its own, so that whoever writes into it need not wait.

    What a microphone gives is lost when a pipe is full, which two seconds of sound fill; importing
    PyTorch takes longer.

    Args:
        descriptor: of an open file, such as standard input.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pieces: Queue[bytes | OSError] = Queue(MOST_PIECES)
        Thread(target=self._take, daemon=True).start()

    def read(self) -> bytes:
        """What came next, once something has; nothing at the end.

        Raises:
            OSError: what the system said.
        """
        piece = self._pieces.get()
        if isinstance(piece, OSError):
            raise piece
        return piece

    def _take(self) -> None:
        piece: bytes | OSError = b"something"
        while piece and not isinstance(piece, OSError):
            try:
                piece = os.read(self._descriptor, PIECE)
            except BlockingIOError:  # whoever opened it does not want to wait, and we do
                select.select([self._descriptor], [], [])
                continue
            except OSError as error:
                piece = error
            self._pieces.put(piece)
