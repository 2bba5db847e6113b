"""All runs of an experiment: a process each, as many at once as asked, finished ones skipped."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path

from mocha_lightning.experiment.exits import BUSY, explain
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import LOG, run_folder
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.spec import RunSpec

POLL_SECONDS = 0.2
GRACE_SECONDS = 15
"""What a run gets to close its files when it is asked to stop."""


class State(Enum):
    """Where a run stands, as this runner knows it."""

    WAITING = "waiting"
    RUNNING = "running"
    ELSEWHERE = "running elsewhere"
    DONE = "done"
    FAILED = "failed"


@dataclass
class Run:
    """One run in the runner's hands."""

    spec: RunSpec
    folder: Path
    state: State = State.WAITING
    problem: str = ""
    """Why it failed."""
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """How people speak of it."""
        return f"{self.spec.variant} seed {self.spec.seed}"


Watch = Callable[[Sequence[Run]], None]
"""Called several times a second with all runs."""


def run_all(
    specs: Sequence[RunSpec], experiment: Path, jobs: int, wandb_mode: str, watch: Watch
) -> list[Run]:
    """Do every run that is not finished yet.

    A run that another runner is doing is left to it. One that dies does not stop the others. When
    this process is killed, its runs end too.

    Args:
        specs: the runs, in the order in which to begin them.
        experiment: the folder ``runs/<experiment>``.
        jobs: processes at once.
        wandb_mode: online, offline or disabled.
        watch: is shown all runs as they go on.

    Returns:
        All runs, done or failed.

    Raises:
        KeyboardInterrupt: asked to stop (Ctrl-C, SIGTERM, SIGHUP); all processes have ended.
    """
    runs = [Run(spec, run_folder(experiment, spec.variant, spec.seed)) for spec in specs]
    for run in runs:
        if finished(run.folder, run.spec):
            run.state = State.DONE
    with _signals_interrupt(), _lifeline() as lifeline:
        try:
            while not all(run.state in (State.DONE, State.FAILED) for run in runs):
                _advance(runs, jobs, wandb_mode, lifeline)
                watch(runs)
                time.sleep(POLL_SECONDS)
        finally:
            _stop([run.process for run in runs if run.process is not None])
    return runs


def _advance(runs: Sequence[Run], jobs: int, wandb_mode: str, lifeline: int) -> None:
    for run in runs:
        if run.process is not None and run.process.poll() is not None:
            _collect(run, run.process.returncode)
        elif run.state is State.ELSEWHERE and not is_busy(run.folder):
            run.state = State.DONE if finished(run.folder, run.spec) else State.WAITING
    for run in runs:
        if sum(each.state is State.RUNNING for each in runs) >= jobs:
            break
        if run.state is State.WAITING:
            run.folder.mkdir(parents=True, exist_ok=True)
            if is_busy(run.folder):
                run.state = State.ELSEWHERE
            else:
                run.spec.write(run.folder)
                run.process = _start(run, wandb_mode, lifeline)
                run.state = State.RUNNING


def _start(run: Run, wandb_mode: str, lifeline: int) -> "subprocess.Popen[bytes]":
    with (run.folder / LOG).open("ab") as log:
        log.write(f"--- {datetime.now():%Y-%m-%d %H:%M:%S}\n".encode())
        log.flush()
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mocha_lightning.experiment.run",
                "--stop-with-stdin",
                str(run.folder),
            ],
            stdin=lifeline,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "WANDB_MODE": wandb_mode,
                "OMP_NUM_THREADS": str(run.spec.threads),
                "PYTHONHASHSEED": "0",
                "PYTHONUNBUFFERED": "1",
            },
        )


def _collect(run: Run, code: int) -> None:
    run.process = None
    if code == BUSY:
        run.state = State.ELSEWHERE
    elif code == 0 and finished(run.folder, run.spec):
        run.state = State.DONE
    else:
        run.state = State.FAILED
        run.problem = explain(code, run.folder / LOG)


def _stop(processes: "list[subprocess.Popen[bytes]]") -> None:
    for process in processes:
        process.terminate()
    try:
        deadline = time.monotonic() + GRACE_SECONDS
        for process in processes:
            process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass
    finally:
        # Also when Ctrl-C comes a second time.
        for process in processes:
            process.kill()


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Have SIGTERM and SIGHUP do what Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _lifeline() -> Iterator[int]:
    """A pipe whose writing end this process alone has: it closes when the process dies."""
    reading, writing = os.pipe()
    try:
        yield reading
    finally:
        os.close(reading)
        os.close(writing)
