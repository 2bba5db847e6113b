"""Runs in this very process, one after the other: for a debugger or a profiler."""

from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from mocha_lightning.experiment.executors.base import Ended, Job
from mocha_lightning.experiment.exits import STOPPED
from mocha_lightning.experiment.places import LOG
from mocha_lightning.experiment.run import begin_log, do, stop
from mocha_lightning.experiment.signals import heard_by
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings


class Serial:
    """An executor that returns when the runs are over.

    What the runs set in PyTorch (threads, deterministic kernels, random states) stays set, and the
    most memory that each notes is that of this process.

    Args:
        wandb: what W&B is told of the runs.
    """

    def __init__(self, wandb: WandbSettings) -> None:
        self.wandb = wandb
        self.slots = 1

    def begin(self, specs: Mapping[Path, RunSpec]) -> Sequence[Job]:
        """Do the runs.

        Raises:
            KeyboardInterrupt: asked to stop.
        """
        return [self._done(folder, spec) for folder, spec in specs.items()]

    def stop(self) -> None:
        """Nothing goes on here while somebody can call this."""

    def _done(self, folder: Path, spec: RunSpec) -> Ended:
        # Signals end it as SIGTERM ends a run in a process of its own.
        with (folder / LOG).open("a", buffering=1, encoding="utf-8") as log, heard_by(stop):
            begin_log(log)
            with redirect_stdout(log), redirect_stderr(log):
                code = do(folder, self.wandb, spec.config_hash)
        if code == STOPPED:
            raise KeyboardInterrupt
        return Ended(code)
