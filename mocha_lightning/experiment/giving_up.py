"""A run that is not worth its time is given up: its sweep leaves a file, and the run looks."""

from pathlib import Path
from typing import Any

import pytorch_lightning as pl

from mocha_lightning.errors import GivenUpError
from mocha_lightning.experiment.places import PRUNED


class GiveUpWhenAsked(pl.Callback):
    """Raise :class:`GivenUpError` before the first step after the file has appeared.

    A file reaches a run wherever it is done, and is still there when the run is begun again.

    Args:
        folder: the run's.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / PRUNED

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Look for the file."""
        if self.path.exists():
            raise GivenUpError
