"""A command given in a test, and what it comes to."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mocha_lightning.cli import main


class Ended(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]
ExperimentFile = Callable[..., Path]


def give(capsys: pytest.CaptureFixture[str], *words: str) -> Ended:
    """Give a command in this process."""
    with pytest.raises(SystemExit) as caught:
        main(words)
    said = capsys.readouterr()
    return Ended(int(caught.value.code or 0), said.out, said.err)
