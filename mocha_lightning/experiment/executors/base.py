"""What the runner asks of whatever does the runs for it.

An executor chooses where and when a run is done, and nothing else: the run itself is
:func:`mocha_lightning.experiment.execute.execute` everywhere, so it comes to the same bits.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mocha_lightning.experiment.spec import RunSpec

GRACE_SECONDS = 15
"""What a run gets to close its files when it is asked to stop."""
STOPPING = "Stopping the runs (Ctrl-C again kills them). Each will go on from its last validation."


@dataclass(frozen=True)
class Ended:
    """A job that is over; all that is known of it."""

    exitcode: int
    said: str = ""


class Job(Protocol):
    """A run that was begun."""

    @property
    def exitcode(self) -> int | None:
        """How it ended, as ``exits.py`` has it; None as long as it waits or goes on."""

    @property
    def said(self) -> str:
        """Why it ended so, where its log does not say that; else empty."""


class Executor(Protocol):
    """Does runs."""

    @property
    def slots(self) -> int:
        """Runs for which there is room at once."""

    def begin(self, specs: Mapping[Path, RunSpec]) -> Sequence[Job]:
        """Begin runs, or have them wait for their turn.

        Args:
            specs: the runs by folder; each folder has its ``config.yaml`` already.

        Returns:
            A job for each, in the same order.
        """

    def stop(self) -> None:
        """Ask all jobs to end, and kill those that take longer than ``GRACE_SECONDS``.

        A second Ctrl-C kills at once those that this process has. Where no job is left it does
        nothing.
        """


def say_stopping(said: str = STOPPING) -> None:
    """Tell who asked for it what happens now."""
    # A terminal that is gone cannot be written to.
    with suppress(OSError):
        print(said, file=sys.stderr, flush=True)
