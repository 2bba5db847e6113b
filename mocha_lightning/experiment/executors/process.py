"""Runs as processes of this machine, each a fork of one that has imported all they need."""

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from mocha_lightning.data.workers import cores
from mocha_lightning.experiment.classes import class_paths
from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.executors.base import GRACE_SECONDS, Job, say_stopping
from mocha_lightning.experiment.run import do_for_runner
from mocha_lightning.experiment.server import begin_server
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings


@dataclass
class ProcessJob:
    """A run in a process."""

    process: BaseProcess
    said: str = ""

    @property
    def exitcode(self) -> int | None:
        """The process's."""
        return self.process.exitcode


class Processes:
    """An executor; when this process is killed, its runs end too.

    Args:
        wandb: what W&B is told of the runs.
    """

    def __init__(self, wandb: WandbSettings) -> None:
        self.wandb = wandb
        self.slots = cores()

    def begin(self, specs: Mapping[Path, RunSpec]) -> Sequence[Job]:
        """Begin a process for each run."""
        return [
            ProcessJob(begin_process(folder, spec, self.wandb)) for folder, spec in specs.items()
        ]

    def stop(self) -> None:
        """Ask the processes to end."""
        if processes := multiprocessing.active_children():
            say_stopping()
            end_processes(processes)


def begin_process(
    folder: Path, spec: RunSpec, wandb: WandbSettings, door: Door | None = None
) -> BaseProcess:
    """Begin the process of a run."""
    server = begin_server(spec.threads, class_paths(spec.config), wandb)
    process = server.Process(target=do_for_runner, args=(folder, wandb, spec.config_hash, door))
    process.start()
    return process


def end_processes(processes: Sequence[BaseProcess]) -> None:
    """Ask processes to end, and kill those that take too long; all where Ctrl-C comes again."""
    try:
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.join()
