"""All runs of an experiment, as many at once as asked; finished ones are skipped."""

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.conflicts import changed_run
from mocha_lightning.experiment.executors.base import Executor, Job
from mocha_lightning.experiment.exits import BEGINNING, BUSY, GIVEN_UP, explain, is_machine_fault
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import LOG, run_folder
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.run import OTHER_NAME
from mocha_lightning.experiment.signals import heard_by
from mocha_lightning.experiment.spec import RunSpec

POLL_SECONDS = 0.2
"""Between two looks at the runs,"""
MANY = 250
"""and as much again for each so many: looking at more costs more."""
RETRY_SECONDS = (10, 60)
"""Pauses before a run that died of a machine's fault is gone on with; after one more it failed."""


class State(Enum):
    """Where a run stands, as this runner knows it."""

    WAITING = "waiting"
    PAUSING = "pausing"
    RUNNING = "running"
    ELSEWHERE = "running elsewhere"
    DONE = "done"
    GIVEN_UP = "pruned"
    FAILED = "failed"


OVER = (State.DONE, State.GIVEN_UP, State.FAILED)


@dataclass
class Run:
    """One run in the runner's hands."""

    spec: RunSpec
    folder: Path
    state: State = State.WAITING
    problem: str = ""
    """Why it failed or pauses."""
    job: Job | None = field(default=None, repr=False)
    deaths: int = 0
    """Of a machine's fault, since it last got as far as a checkpoint."""
    saved: int = 0
    """The step of the checkpoint that it had when it last died."""
    ready_at: float = 0.0
    """When a pause is over."""

    @property
    def name(self) -> str:
        """How people speak of it."""
        return self.spec.name


Watch = Callable[[Sequence[Run]], None]
"""Called several times a second with all runs."""
More = Callable[[Sequence[Run]], Sequence[RunSpec] | None]
"""Called as often with all runs so far: further ones to do, or None where there will be no more."""


def run_all(
    specs: Sequence[RunSpec], experiment: Path, jobs: int, executor: Executor, watch: Watch
) -> list[Run]:
    """Do every run that is not finished yet, as :func:`run_growing` does.

    Args:
        specs: the runs, in the order in which to begin them.
        experiment: the folder ``runs/<experiment>``.
        jobs: runs at once.
        executor: does them.
        watch: is shown all runs as they go on.

    Returns:
        All runs, done or failed.

    Raises:
        KeyboardInterrupt: asked to stop (Ctrl-C, SIGTERM, SIGHUP); all runs have ended.
    """
    runs = [_taken(spec, experiment) for spec in specs]
    if all(run.state is State.DONE for run in runs):
        return runs
    return _do(runs, experiment, jobs, executor, watch, lambda _: None)


def run_growing(
    more: More, experiment: Path, jobs: int, executor: Executor, watch: Watch
) -> list[Run]:
    """Do runs of which it shows only on the way which there will be.

    A run that another runner is doing is left to it. One that fails does not stop the others; one
    that is killed by no command of this runner's is gone on with, a few times and after a pause.

    Args:
        more: gives them.
        experiment: the folder ``runs/<experiment>``.
        jobs: runs at once.
        executor: does them.
        watch: is shown all runs as they go on.

    Returns:
        All runs, done, given up or failed.

    Raises:
        KeyboardInterrupt: asked to stop (Ctrl-C, SIGTERM, SIGHUP); all runs have ended.
    """
    return _do([], experiment, jobs, executor, watch, more)


def _taken(spec: RunSpec, experiment: Path) -> Run:
    run = Run(spec, run_folder(experiment, spec.variant, spec.seed))
    if finished(run.folder, spec):
        run.state = State.DONE
    return run


def _do(
    runs: list[Run], experiment: Path, jobs: int, executor: Executor, watch: Watch, more: More
) -> list[Run]:
    with heard_by(_interrupt, (signal.SIGTERM, signal.SIGHUP)):
        try:
            while True:
                added = more(runs)
                runs += [_taken(spec, experiment) for spec in added or ()]
                if added is None and all(run.state in OVER for run in runs):
                    return runs
                _advance(runs, jobs, executor)
                watch(runs)
                time.sleep(POLL_SECONDS * (1 + len(runs) / MANY))
        finally:
            executor.stop()


def _advance(runs: Sequence[Run], jobs: int, executor: Executor) -> None:
    for run in runs:
        if run.job is not None and (code := run.job.exitcode) is not None:
            _collect(run, code, run.job.said)
        elif run.state is State.ELSEWHERE and not is_busy(run.folder):
            _settle(run, State.WAITING)
        elif run.state is State.PAUSING and time.monotonic() >= run.ready_at:
            run.state = State.WAITING
    room = jobs - sum(run.state is State.RUNNING for run in runs)
    ready: list[Run] = []
    for run in runs:
        if len(ready) >= room:
            break
        if run.state is State.WAITING and _is_ready(run):
            ready.append(run)
    if ready:
        begun = executor.begin({run.folder: run.spec for run in ready})
        for run, job in zip(ready, begun, strict=True):
            run.job, run.state = job, State.RUNNING


def _is_ready(run: Run) -> bool:
    """Write what a run is into its folder, unless that is somebody else's by now."""
    try:
        run.folder.mkdir(parents=True, exist_ok=True)
        # Since this command looked, another may have begun it, and gone.
        if change := changed_run(run.folder, run.spec):
            raise UserError(
                f"{run.folder}: another command has begun it with another configuration "
                f"({change}): {OTHER_NAME}"
            )
        if is_busy(run.folder):
            run.state = State.ELSEWHERE
            return False
        run.spec.write(run.folder)
    except UserError as error:
        run.state, run.problem = State.FAILED, str(error)
    except OSError as error:
        # The disk may serve those that run already; they are not stopped for it.
        run.state, run.problem = State.FAILED, f"{run.folder}: {error.strerror}"
    return run.state is State.WAITING


def _collect(run: Run, code: int, said: str = "") -> None:
    run.job = None
    if code == BUSY:
        run.state = State.ELSEWHERE
        return
    if code == GIVEN_UP:
        run.state = State.GIVEN_UP
        return
    run.problem = said or explain(code, run.folder / LOG)
    if is_machine_fault(code):
        _pause(run)
    elif code == 0:
        _settle(run, State.FAILED)
    else:
        run.state = State.FAILED


def _settle(run: Run, otherwise: State) -> None:
    """It is done if it has its result."""
    try:
        run.state = State.DONE if finished(run.folder, run.spec) else otherwise
    except UserError as error:
        run.state, run.problem = State.FAILED, str(error)


def _pause(run: Run) -> None:
    """Have it gone on with after a while, unless it has died too often and got nowhere."""
    saved = read_progress(run.folder).saved
    run.deaths = 1 if saved > run.saved else run.deaths + 1
    run.saved = saved
    if run.deaths > len(RETRY_SECONDS):
        run.state = State.FAILED
        run.problem = f"{run.problem}, {run.deaths} times since its last checkpoint"
        return
    seconds = RETRY_SECONDS[run.deaths - 1]
    run.state, run.ready_at = State.PAUSING, time.monotonic() + seconds
    run.problem = (
        f"{run.problem}; it goes on from its last validation in {seconds:g} s (try "
        f"{run.deaths + 1} of {len(RETRY_SECONDS) + 1})"
    )
    # Where the disk takes no line more, the try will say so.
    with suppress(OSError), (run.folder / LOG).open("a") as log:
        log.write(f"{BEGINNING}{run.problem}\n")


def _interrupt(*_: object) -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt
