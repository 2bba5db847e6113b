"""A command given in a test, and what it comes to."""

from collections.abc import Callable
from pathlib import Path

Command = Callable[..., "Ended"]


ExperimentFile = Callable[..., Path]


class Ended:
    """How a command ended and what it said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
