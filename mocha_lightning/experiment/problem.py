"""Why a process of a run ended early, as the run's first process is told."""

import sys
import time
from dataclasses import dataclass, field
from typing import Literal

from mocha_lightning.errors import DivergedError, ProcessError, UserError


@dataclass(frozen=True)
class Problem:
    """What a process died of.

    Attributes:
        kind: a mistake of the user's, no number, an error of the code's, or none of its own: it
            was killed, or its machine is gone.
        text: in a line.
        step: at which there was no number.
        trace: of an error of the code's.
        at: when, in seconds of the clock; what is lost had no time to say, and comes first.
    """

    kind: Literal["mistake", "diverged", "failed", "lost"]
    text: str
    step: int = 0
    trace: str = ""
    at: float = field(default_factory=time.time)

    def as_error(self) -> Exception:
        """What the run's first process raises of it."""
        if self.kind == "mistake":
            return UserError(self.text)
        if self.kind == "diverged":
            return DivergedError(self.step, self.text)
        if self.trace:
            print(self.trace, file=sys.stderr, flush=True)
        return ProcessError(self.text, lost=self.kind == "lost")


def lost(text: str) -> Problem:
    """That of a process which had no time to say anything."""
    return Problem("lost", text, at=0.0)
