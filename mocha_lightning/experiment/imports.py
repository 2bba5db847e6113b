"""A user's own class is named by its import path and lies in the current folder."""

import sys
from pathlib import Path


def make_folder_importable() -> None:
    """Let modules of the current folder be imported; they hide none that is installed."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
