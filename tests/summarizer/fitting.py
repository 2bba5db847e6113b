"""Training and scoring a summariser, without the runner."""

import warnings

import pytorch_lightning as pl
from torch.utils.data import DataLoader

from mocha_lightning.data import DocumentBatch
from mocha_lightning.summarizer import Summarizer

ROUGES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "exact_match")
SCORES = {
    *(f"{name}{kind}" for name in ROUGES for kind in ("", "_greedy", "_expected")),
    *("loss", "copied", "unknown_words", "length_cap"),
}
MONOTONIC_SCORES = {"undecided", "off_the_end"}


def trainer(**arguments) -> pl.Trainer:
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "accelerator": "cpu",
    }
    return pl.Trainer(**{**quiet, **arguments})


def loader(*batches: DocumentBatch) -> DataLoader:
    return DataLoader(list(batches), batch_size=None)


def scores(task: Summarizer, *batches: DocumentBatch, split: str = "val") -> dict[str, float]:
    run = trainer()
    evaluate = run.validate if split == "val" else run.test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loader of few batches, no workers
        (found,) = evaluate(task, loader(*batches), verbose=False)
    return found


def train(task: Summarizer, batch: DocumentBatch, steps: int, **arguments) -> list[float]:
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
