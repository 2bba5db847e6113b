"""What a model attends to as it learns: a fixed validation example, drawn a few times in a run."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.utilities.seed import isolate_rng

from mocha_lightning.errors import in_a_line
from mocha_lightning.experiment.places import PICTURES
from mocha_lightning.experiment.whole_files import write_all
from mocha_lightning.tracking import Tracker
from mocha_lightning.training.task import Task

MOST = 5
"""Times in a run: one costs a second, and the end is drawn anyway."""


class Pictures(pl.Callback):
    """Draw what the task illustrates at some validations, where W&B listens.

    The files stay in the run's folder, so that a run that goes on can show all of them again.
    The random states are what they were, whether it draws or not.

    Args:
        folder: the run's.
        tracker: shows them.
        data: of the run.
        trainer: the Trainer's arguments.
    """

    def __init__(
        self,
        folder: Path,
        tracker: Tracker,
        data: pl.LightningDataModule,
        trainer: Mapping[str, Any],
    ) -> None:
        self.folder = folder
        self.tracker = tracker
        self.data = data
        self.every = int(trainer["val_check_interval"])
        self.validations = int(trainer["max_steps"]) // self.every

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Draw, if it is time to."""
        assert isinstance(pl_module, Task)
        step = trainer.global_step
        if not self.tracker.listens or not is_due(step // self.every, self.validations):
            return
        try:
            with isolate_rng(include_cuda=pl_module.device.type == "cuda"):
                files = pl_module.illustrate(self.data)
            pictures = {name: each for name, each in files.items() if name.endswith(".png")}
            write_all(_folder(self.folder, step), pictures)
        # A run without W&B draws nothing here, and would go on.
        except Exception as error:
            print(f"no picture at step {step}: {in_a_line(error)}", file=sys.stderr, flush=True)


def is_due(number: int, validations: int) -> bool:
    """Whether a validation, counted from 1, is one of those: spread evenly, the last among them."""
    times = min(MOST, validations)
    return number * times // validations > (number - 1) * times // validations


def drawn(folder: Path, step: int) -> list[Path]:
    """The pictures of a step."""
    return sorted(_folder(folder, step).glob("*.png"))


def _folder(folder: Path, step: int) -> Path:
    return folder / PICTURES / f"step-{step}"
