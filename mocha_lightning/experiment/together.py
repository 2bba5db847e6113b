"""The other processes of a run: begun by its first, watched by it, and ended with it."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from operator import itemgetter
from pathlib import Path

import torch
from torch import distributed
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from mocha_lightning.errors import GivenUpError, NotANumberError, ProcessError, UserError
from mocha_lightning.experiment.assist import Problem, assist
from mocha_lightning.experiment.exits import FAILED, PART_LOST, killed_by
from mocha_lightning.experiment.membership import HOST, Membership
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.training.divergence import DivergedError

END_SECONDS = 60
"""What the others get to end by themselves when all is done."""
CAUSE_SECONDS = 5
"""How long after an error here one looks whether another process is why."""
HANG_SECONDS = 20
"""How long after another's end this process may go on waiting for it."""
OWN = (DivergedError, NotANumberError, GivenUpError, UserError, OSError)
"""Errors that the end of another process is no reason for."""


def together(
    spec: RunSpec, folder: Path, member: Membership, device: torch.device
) -> AbstractContextManager[None]:
    """Have the other processes of a run compute with this one, as long as it lasts.

    Args:
        spec: the run.
        folder: the run's.
        member: this process, the run's first.
        device: that it computes on.

    Raises:
        DivergedError: another process came to what is no number.
        UserError: another process met a mistake of the user's.
        ProcessError: another process failed or was killed.
    """
    return nullcontext() if member.processes == 1 else _together(spec, folder, member, device)


@contextmanager
def _together(
    spec: RunSpec, folder: Path, member: Membership, device: torch.device
) -> Iterator[None]:
    store = TCPStore(HOST, 0, member.processes, is_master=True, wait_for_workers=False)
    others = _Others(spec, folder, member.processes, store.port)
    try:
        member.meet(store, device)
        yield
        others.join(END_SECONDS)
    except Exception as error:
        if not isinstance(error, OWN) and (problem := others.problem(CAUSE_SECONDS)):
            raise problem from None
        raise
    finally:
        others.end()
        # What is done from now on, this process does alone.
        if distributed.is_initialized():
            with suppress(RuntimeError):
                distributed.destroy_process_group()


class _Others:
    """All processes of a run but the first."""

    def __init__(self, spec: RunSpec, folder: Path, processes: int, port: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.ended = False
        # Two threads that ask for one exit code at a time may both be told that there is none.
        self.asking = threading.Lock()
        self.all: list[tuple[int, BaseProcess, Connection]] = []
        for number in range(1, processes):
            problems, sender = context.Pipe(duplex=False)
            member = Membership(number, processes)
            process = context.Process(target=assist, args=(spec, folder, member, port, sender))
            process.start()
            sender.close()
            self.all.append((number, process, problems))
        threading.Thread(target=self._watch, daemon=True).start()

    def join(self, seconds: float) -> None:
        """Wait for them to end by themselves."""
        deadline = time.monotonic() + seconds
        for _, process, _ in self.all:
            wait([process.sentinel], max(0.0, deadline - time.monotonic()))

    def end(self) -> None:
        """End them: they have nothing to lose."""
        self.ended = True
        with self.asking:
            for _, process, _ in self.all:
                process.kill()
            for _, process, _ in self.all:
                process.join()

    def problem(self, seconds: float) -> Exception | None:
        """What the first to end early died of, if one does so within some seconds."""
        wait([process.sentinel for _, process, _ in self.all], seconds)
        # The first to die takes others along, whose words are of lost connections.
        found = [self._problem(*each) for each in self.all if self._code(each[1])]
        return min(found, key=itemgetter(0), default=(0.0, None))[1]

    def _problem(
        self, number: int, process: BaseProcess, problems: Connection
    ) -> tuple[float, Exception]:
        """What a process died of, and since when it was dying."""
        who = f"process {number + 1} of {len(self.all) + 1}"
        if (code := self._code(process)) < 0:
            return 0.0, ProcessError(f"{who} was {killed_by(code)}", lost=True)
        try:
            problem: Problem = problems.recv()
        except EOFError:
            return 0.0, ProcessError(f"{who} ended without a word", lost=False)
        if problem.kind == "diverged":
            return problem.at, DivergedError(problem.step, problem.text)
        if problem.kind == "mistake":
            return problem.at, UserError(problem.text)
        said, _, trace = problem.text.partition("\n")
        print(trace, file=sys.stderr, flush=True)
        return problem.at, ProcessError(f"{who} failed: {said}", lost=False)

    def _code(self, process: BaseProcess) -> int:
        """How a process ended; 0 for one that has not."""
        if not wait([process.sentinel], 0):
            return 0
        with self.asking:
            # It may have closed its files and not be quite gone.
            process.join()
            return process.exitcode or 0

    def _watch(self) -> None:
        """End this process where it hangs since another has ended."""
        left = [process for _, process, _ in self.all]
        while left:
            ready = wait([process.sentinel for process in left])
            over = [process for process in left if process.sentinel in ready]
            left = [process for process in left if process not in over]
            for process in over:
                if self._code(process) and not self.ended:
                    time.sleep(HANG_SECONDS)
                    if not self.ended:
                        problem = self.problem(0)
                        print(f"error: {problem}", file=sys.stderr, flush=True)
                        lost = isinstance(problem, ProcessError) and problem.lost
                        os._exit(PART_LOST if lost else FAILED)
