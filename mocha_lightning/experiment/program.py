"""What a user types to give a command, for those that are printed."""

import shutil
import sys
from pathlib import Path

NAME = "mocha-lightning"


def program() -> str:
    """The program as it was called, where that was by a path; its name where a shell finds it."""
    called = sys.argv[0]
    if Path(called).name != NAME or called == shutil.which(NAME):
        return NAME
    return called
