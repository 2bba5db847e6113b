"""A run whose loss is no number ends there."""

import math

import pytorch_lightning as pl
from torch import Tensor


class DivergedError(Exception):
    """The training came to what is no number.

    Args:
        step: the updates made before it.
        what: what was none.
    """

    def __init__(self, step: int, what: str) -> None:
        super().__init__(f"{what} at step {step}")
        self.step = step


class StopOnDivergence(pl.Callback):
    """Raise :class:`DivergedError` before a loss that is no number can reach the weights."""

    def on_before_backward(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, loss: Tensor
    ) -> None:
        """Look at the loss."""
        value = loss.item()
        if not math.isfinite(value):
            raise DivergedError(trainer.global_step, f"the training loss was {value}")
