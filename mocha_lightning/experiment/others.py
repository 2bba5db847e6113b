"""Those who compute a run with a process: begun or let in by it, and ended with it."""

import socket
import threading
import time
from collections.abc import Iterable
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext, SpawnContext
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from mocha_lightning.experiment.assist import assist
from mocha_lightning.experiment.exits import killed_by
from mocha_lightning.experiment.membership import Membership
from mocha_lightning.experiment.problem import Problem, lost
from mocha_lightning.experiment.spec import RunSpec

WORD_SECONDS = 1.0
"""How long after the first end one hears what others died of."""


class Other(Protocol):
    """A process of this machine, or all those of another."""

    @property
    def sentinel(self) -> int | socket.socket:
        """Ready when it is over."""

    def problem(self) -> Problem | None:
        """What it died of; None as long as it goes on, and where it has done all."""

    def end(self) -> None:
        """End it: it has nothing to lose."""


class Others:
    """All that this process has begun or let in."""

    def __init__(self) -> None:
        self.all: list[Other] = []
        self.ended = False

    def begin(
        self,
        context: SpawnContext | ForkServerContext,
        spec: RunSpec,
        folder: Path,
        members: Iterable[Membership],
        place: tuple[str, int],
    ) -> None:
        """Begin processes of this machine.

        Args:
            context: begins them.
            spec: the run.
            folder: the run's.
            members: which of its processes they are.
            place: host and port where the run's first waits for them.
        """
        for member in members:
            self.all.append(_Process(context, spec, folder, member, place))

    def join(self, seconds: float) -> None:
        """Wait for them to end by themselves."""
        deadline = time.monotonic() + seconds
        for each in self.all:
            wait([each.sentinel], max(0.0, deadline - time.monotonic()))

    def end(self) -> None:
        """End all."""
        self.ended = True
        for each in self.all:
            each.end()

    def problem(self, seconds: float) -> Problem | None:
        """What the first to end early died of, if one does so within some seconds."""
        if wait([each.sentinel for each in self.all], seconds):
            # The first to die takes others along, whose words are of lost connections.
            time.sleep(WORD_SECONDS)
        return self.found()

    def found(self) -> Problem | None:
        """The same of those that have ended by now."""
        found = [problem for each in self.all if (problem := each.problem())]
        return min(found, key=attrgetter("at"), default=None)


class _Process:
    """A process of this machine."""

    def __init__(
        self,
        context: SpawnContext | ForkServerContext,
        spec: RunSpec,
        folder: Path,
        member: Membership,
        place: tuple[str, int],
    ) -> None:
        self.member = member
        self.words, words = context.Pipe(duplex=False)
        self.process = context.Process(target=assist, args=(spec, folder, member, place, words))
        self.process.start()
        words.close()
        self.sentinel = self.process.sentinel
        # Two threads that ask for one exit code at a time may both be told that there is none.
        self._asking = threading.Lock()
        self._found: Problem | None = None

    def problem(self) -> Problem | None:
        """What it died of."""
        if not wait([self.sentinel], 0):
            return None
        with self._asking:
            # It may have closed its files and not be quite gone.
            self.process.join()
            if self.process.exitcode and self._found is None:
                self._found = self._problem(self.process.exitcode)
            return self._found

    def end(self) -> None:
        """Kill it."""
        with self._asking:
            self.process.kill()
            self.process.join()

    def _problem(self, code: int) -> Problem:
        if code < 0:
            return lost(f"{self.member} was {killed_by(code)}")
        try:
            found: Problem = self.words.recv()
        except EOFError:
            return Problem("failed", f"{self.member} ended without a word", at=0.0)
        return found
