"""The SHA-256 that a prepared folder has of itself, checked whenever it is opened."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError

ABOUT = "corpus.json"
"""The file in a prepared folder that says what the corpus is and what its SHA-256 must be."""

DROPPED = "dropped.jsonl"
"""The file in a prepared folder that tells what was left out, and why. It decides no number and so
has a SHA-256 of its own there, which folders of earlier versions lack."""
OF_DROPPED = f"{DROPPED} sha256"


def about_of(
    folder: Path, digest: Callable[[Path], str], identity: dict[str, Any]
) -> dict[str, Any]:
    """What is to be written to ``corpus.json`` when all else is in the folder.

    Args:
        folder: of the corpus.
        digest: what SHA-256 its files have.
        identity: everything that decides the content, kept for the reader.
    """
    about = {"sha256": digest(folder), "identity": identity}
    if (folder / DROPPED).exists():
        about[OF_DROPPED] = _sha256(folder / DROPPED)
    return about


def dropped_is_intact(folder: Path) -> bool:
    """Whether the account of what was left out is the one that was written."""
    try:
        expected = json.loads((folder / ABOUT).read_text()).get(OF_DROPPED)
        return expected is None or _sha256(folder / DROPPED) == expected
    except (OSError, ValueError, AttributeError):
        return False


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
