"""The process's own streams."""

import io
import os
import sys
from pathlib import Path


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


def say_loading() -> None:
    """Tell who waits at a terminal that the seconds to come are those of large libraries."""
    if sys.stderr.isatty():
        print("Loading libraries", file=sys.stderr, flush=True)


def drop_unwritten() -> None:
    """Drop what the output did not take, or the interpreter complains of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
