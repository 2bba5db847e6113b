"""How far a run is and what came out so far: ``progress.json`` and ``curves.jsonl``."""

import json
import math
import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl

from mocha_lightning.experiment.checkpoints import Checkpoints, scores_of
from mocha_lightning.experiment.curves import read_records
from mocha_lightning.experiment.pictures import drawn
from mocha_lightning.experiment.places import CURVES
from mocha_lightning.experiment.progress import Phase, Progress, write_progress
from mocha_lightning.experiment.result import number
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.tracking import Tracker

SECONDS = 1.0
"""Progress is written no more often than this."""


class ShowProgress(pl.Callback):
    """Write ``progress.json`` as the run goes on.

    Args:
        folder: the run's.
        steps: training steps in all.
        checkpoints: know which validation was best; they come before this among the callbacks.
    """

    def __init__(self, folder: Path, steps: int, checkpoints: Checkpoints) -> None:
        self.folder = folder
        self.steps = steps
        self.checkpoints = checkpoints
        self.validation: dict[str, float] = {}
        self.written = 0.0

    def write(self, phase: Phase, step: int) -> None:
        """Replace the file."""
        at = Progress(
            phase,
            step,
            self.steps,
            self.validation,
            self.checkpoints.best_scores,
            self.checkpoints.saved,
            seconds=self.checkpoints.elapsed(),
        )
        write_progress(self.folder, at)
        self.written = time.monotonic()

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say where training begins."""
        self.write("training", trainer.global_step)

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Say how many steps are done."""
        if time.monotonic() - self.written >= SECONDS:
            self.write("training", trainer.global_step)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say what came out."""
        self.validation = scores_of(trainer, "val/")
        self.write("training", trainer.global_step)

    def on_test_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say that training is over."""
        self.write("testing", self.steps)


class Curves(pl.Callback):
    """Write what the task logs to ``curves.jsonl`` and to the tracker: one record for a step.

    What training logs waits for the validation that may follow its step, so that no half of a
    record is left by a process that is stopped between the two.

    Args:
        folder: the run's.
        tracker: gets the same.
        every: steps between two records of what training logs.
        rounds: in which an update's batch comes; of what they log the mean is written.
    """

    def __init__(self, folder: Path, tracker: Tracker, every: int, rounds: int = 1) -> None:
        self.path = folder / CURVES
        self.every = every
        self.tracker = tracker
        self.rounds = rounds
        self.logged: list[dict[str, float]] = []
        self.waiting: dict[str, float] = {}

    def on_load_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Tell the tracker, which may know nothing of it, what came before."""
        for record in self._keep(checkpoint["global_step"]):
            step = record.pop("step")
            numbers = {name: math.nan if value is None else value for name, value in record.items()}
            self.tracker.log(step, numbers, drawn(self.path.parent, step))

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Drop what an interrupted process wrote after its last checkpoint, if it had any."""
        self._keep(trainer.global_step)

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """No validation came between: write what training logged."""
        self._write(trainer.global_step)

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Every so many steps: what training logs, and the learning rate."""
        last = (batch_idx + 1) % self.rounds == 0
        # Before the last round the update is still to come.
        if (trainer.global_step + (not last)) % self.every:
            return
        self.logged.append(scores_of(trainer, "train/"))
        if last:
            rate = trainer.optimizers[0].param_groups[0]["lr"]
            self.waiting = {**_means(self.logged), "train/learning_rate": rate}
            self.logged = []

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """After a validation: its scores."""
        self.waiting |= scores_of(trainer, "val/")
        self._write(trainer.global_step)

    def _keep(self, step: int) -> list[dict[str, Any]]:
        """Drop all records after a step."""
        kept = [record for record in read_records(self.path) if record["step"] <= step]
        write_whole(self.path, "".join(f"{json.dumps(record)}\n" for record in kept))
        return kept

    def _write(self, step: int) -> None:
        if not self.waiting:
            return
        scores, self.waiting = self.waiting, {}
        with self.path.open("a") as file:
            # JSON has no NaN.
            numbers = {name: number(value) for name, value in scores.items()}
            file.write(json.dumps({"step": step, **numbers}) + "\n")
        self.tracker.log(step, scores, drawn(self.path.parent, step))


def _means(rounds: list[dict[str, float]]) -> dict[str, float]:
    """By name, the mean over the rounds of an update."""
    first, *others = rounds
    return {
        name: sum((each[name] for each in others), value) / len(rounds)
        for name, value in first.items()
    }
