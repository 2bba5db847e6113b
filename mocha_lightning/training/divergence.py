"""A run whose loss is no number ends there."""

import math

import pytorch_lightning as pl
from torch import Tensor


class DivergedError(Exception):
    """The training loss was NaN or infinite.

    Args:
        step: the updates made before it.
        loss: the loss.
    """

    def __init__(self, step: int, loss: float) -> None:
        super().__init__(f"the training loss was {loss} at step {step}")
        self.step = step


class StopOnDivergence(pl.Callback):
    """Raise :class:`DivergedError` before a loss that is no number can reach the weights."""

    def on_before_backward(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, loss: Tensor
    ) -> None:
        """Look at the loss."""
        value = loss.item()
        if not math.isfinite(value):
            raise DivergedError(trainer.global_step, value)
