"""The SHA-256 that a prepared folder has of itself, checked whenever it is opened."""

import json
from collections.abc import Callable
from pathlib import Path

from mocha_lightning.errors import UserError

ABOUT = "corpus.json"
"""The file in a prepared folder that says what the corpus is and what its SHA-256 must be."""


def checked_sha256(folder: Path, digest: Callable[[Path], str]) -> str:
    """The SHA-256 of a prepared folder, which is the one written in it.

    Args:
        folder: of the corpus.
        digest: what SHA-256 its files have now.

    Raises:
        UserError: the files are not those that were written.
    """
    try:
        sha256 = str(json.loads((folder / ABOUT).read_text())["sha256"])
        intact = digest(folder) == sha256
    except (OSError, ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise UserError(
            f"the prepared corpus in {folder.resolve()} is damaged (its SHA-256 is not the "
            "one written beside it): delete that folder and it will be built again"
        )
    return sha256
