"""A process that ends with the one that began it, however that ends."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait

from mocha_lightning.experiment.exits import FAILED


def end_with_parent() -> None:
    """Have this process end as soon as its parent does."""
    threading.Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(FAILED)
