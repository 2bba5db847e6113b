"""Training and scoring a task without the runner."""

import warnings
from typing import Any

import pytorch_lightning as pl
from torch.utils.data import DataLoader

from mocha_lightning.training.task import Task


def loader(*batches: Any) -> DataLoader:
    return DataLoader(list(batches), batch_size=None)


def trainer(**arguments) -> pl.Trainer:
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "accelerator": "cpu",
    }
    return pl.Trainer(**{**quiet, **arguments})


def scores(task: Task, *batches: Any, split: str = "val") -> dict[str, float]:
    run = trainer()
    evaluate = run.validate if split == "val" else run.test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loader of few batches, no workers
        (found,) = evaluate(task, loader(*batches), verbose=False)
    return found


def losses_on(task: Task, batch: Any, steps: int, **arguments) -> list[float]:
    """The losses of updates on one batch over and over."""
    losses = []

    class Keep(pl.Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
            losses.append(outputs["loss"].item())

    run = trainer(max_steps=steps, max_epochs=-1, callbacks=[Keep()], **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.fit(task, loader(batch))
    return losses
