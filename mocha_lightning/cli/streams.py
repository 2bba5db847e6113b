"""The process's own streams."""

import io
import os
import sys
from pathlib import Path
from typing import TextIO


def bear_any_character() -> None:
    """Let no character end the process: a terminal that has not all is no reason to.

    Nor does a stream that was closed before: what is told there is told to nobody.
    """
    # Where it is None, print would tell it on standard output.
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115 (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        # stderr has its own way.
        if isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":
            stream.reconfigure(errors="replace")


def say_loading(log: TextIO | None = None) -> None:
    """Tell who waits at a terminal that the seconds to come are those of large libraries.

    Args:
        log: is told where there is no terminal; None for nobody.
    """
    if place := sys.stderr if sys.stderr.isatty() else log:
        print("Loading libraries", file=place, flush=True)


def drop_unwritten() -> None:
    """Drop what the output did not take, or the interpreter complains of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
