"""The best step by validation, and the last one to go on from."""

import shutil
import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.plugins import TorchCheckpointIO

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.inert import load, save
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.places import BEST_CHECKPOINT, LAST_CHECKPOINT
from mocha_lightning.experiment.whole_files import whole
from mocha_lightning.training.processes import of_first


class Checkpoints(pl.Callback):
    """After each validation, keep the state as ``last.ckpt`` and, where it is best, ``best.ckpt``.

    What was best so far is kept in the checkpoint itself, so it does not hang on the folder's
    name, and a crash between the two files is mended by doing that validation again.

    Args:
        folder: where the files are.
        metric: decides what is best; of equal ones the first.
        config_hash: of the run, so that none goes on from a checkpoint of another.
    """

    def __init__(self, folder: Path, metric: Metric, config_hash: str) -> None:
        self.best = folder / BEST_CHECKPOINT
        self.last = folder / LAST_CHECKPOINT
        self.metric = metric
        self.config_hash = config_hash
        self.best_step = 0
        self.best_scores: dict[str, float] = {}
        self.saved = 0
        self.seconds = 0.0
        self._since = time.monotonic()

    def state_dict(self) -> dict[str, Any]:
        """What goes into a checkpoint."""
        return {
            "config_hash": self.config_hash,
            "best_step": self.best_step,
            "best_scores": self.best_scores,
            "seconds": self.elapsed(),
        }

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Know the step of the checkpoint that training goes on from."""
        self.saved = trainer.global_step
        if not trainer.is_global_zero:
            return
        # A process that was killed while it saved has left half a file.
        for unfinished in self.last.parent.glob(".*.ckpt.*"):
            unfinished.unlink()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up what a checkpoint had."""
        self.best_step = state_dict["best_step"]
        self.best_scores = state_dict["best_scores"]
        self.seconds = state_dict["seconds"]

    def begun(self) -> Path | None:
        """What training goes on from, if it has been begun; asked by all processes of a run."""
        return self.last if of_first(self.last.exists) else None

    def best_weights(self) -> dict[str, Any]:
        """Those of the best step; asked by all processes of a run.

        Raises:
            UserError: as of :meth:`read_own`.
        """
        weights: dict[str, Any] = of_first(lambda: self.read_own(self.best)["state_dict"])
        return weights

    def read_own(self, path: Path) -> dict[str, Any]:
        """Read a checkpoint of this run.

        Raises:
            UserError: it is not there, damaged, no checkpoint or of another configuration.
        """
        checkpoint = load(path)
        if config_hash_of(checkpoint, path) != self.config_hash:
            raise UserError(
                f"{path}: is of another configuration: remove that folder to begin anew"
            )
        return checkpoint

    def elapsed(self) -> float:
        """Seconds of the run, those of earlier processes up to their last checkpoint included."""
        return self.seconds + time.monotonic() - self._since

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save the state.

        Raises:
            UserError: the task does not log the metric.
        """
        scores = scores_of(trainer, "val/")
        name = self.metric.validation
        if name not in scores:
            raise UserError(
                f"metric.name: {type(pl_module).__name__} logs no {name}: "
                f"choose among {', '.join(scores)} with test/ for val/"
            )
        best = not self.best_scores or self.metric.better(scores[name], self.best_scores[name])
        if best:
            self.best_step, self.best_scores = trainer.global_step, scores
        if not trainer.is_global_zero:
            # Takes part without writing anything.
            trainer.save_checkpoint(self.last, weights_only=False)
            return
        self.last.parent.mkdir(exist_ok=True)
        with whole(self.last) as unfinished:
            trainer.save_checkpoint(unfinished, weights_only=False)
            if best:
                with whole(self.best) as copy:
                    shutil.copyfile(unfinished, copy)
        self.saved = trainer.global_step


class DirectIO(TorchCheckpointIO):
    """How Lightning writes and reads checkpoints: the file itself, and damage in one line.

    Lightning's own way to write is by a file in /tmp.
    """

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None
    ) -> None:
        """Write it, as :func:`save` does."""
        save(checkpoint, path)

    def load_checkpoint(
        self, path: Any, map_location: Any = None, weights_only: bool | None = None
    ) -> dict[str, Any]:
        """Read it, as :func:`load` does, in a run's first process: others may not see the file."""
        return of_first(lambda: load(path))


def scores_of(trainer: pl.Trainer, prefix: str) -> dict[str, float]:
    """What the task has logged under a prefix."""
    logged = trainer.callback_metrics.items()
    return {name: value.item() for name, value in logged if name.startswith(prefix)}


def config_hash_of(checkpoint: dict[str, Any], path: Path) -> str:
    """Which run a checkpoint is of: what :attr:`RunSpec.config_hash` was when it was written.

    Raises:
        UserError: it was not written by a run.
    """
    try:
        return str(checkpoint["callbacks"][Checkpoints.__qualname__]["config_hash"])
    except (LookupError, TypeError):
        raise UserError(
            f"{path}: was not written by a run of this package, which notes its configuration in "
            "it: give a run's own"
        ) from None
