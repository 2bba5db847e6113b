"""A run that comes to what is no number ends there."""

import math
from collections.abc import Iterable

import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from mocha_lightning.errors import DivergedError
from mocha_lightning.training.processes import total


class StopOnDivergence(pl.Callback):
    """Raise :class:`DivergedError` before anything that is no number can reach the weights.

    It names the first tensor that is none: a weight that an update made so, else the loss, else
    the gradient of a weight.
    """

    def __init__(self) -> None:
        self.parameters: list[tuple[str, nn.Parameter]] = []

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Know the weights by name; to go through the module for them at each step takes longer."""
        self.parameters = list(pl_module.named_parameters())

    def on_before_backward(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, loss: Tensor
    ) -> None:
        """Look at the loss, and where it is no number at the weights that it was made with."""
        # Of all processes, so that none goes on and waits for one that does not.
        value = total(loss.detach()).item()
        if math.isfinite(value):
            return
        weights = _broken(self.parameters)
        what = weights[0] if weights else f"the training loss was {value}"
        raise DivergedError(trainer.global_step, what)

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Look at the gradients, before they are clipped: that would spread one NaN to all."""
        # With 16-mixed precision some are infinite now and then: such a step is left out.
        if getattr(trainer.precision_plugin, "scaler", None) is not None:
            return
        named = [(name, p.grad) for name, p in self.parameters if p.grad is not None]
        # One number tells of all of them, a sum in half the time of a norm; finite ones may be too
        # large for it.
        if math.isfinite(torch.stack([gradient.sum() for _, gradient in named]).sum().item()):
            return
        if broken := _broken((f"the gradient of {name}", gradient) for name, gradient in named):
            others = f" (and of {len(broken) - 1} more of {len(named)})" if len(broken) > 1 else ""
            raise DivergedError(trainer.global_step, f"{broken[0]}{others}")


def _broken(tensors: Iterable[tuple[str, Tensor]]) -> list[str]:
    """Of those that are no numbers: name, and the first value that is none."""
    found = []
    for name, tensor in tensors:
        finite = tensor.isfinite()
        if not finite.all():
            found.append(f"{name} was {torch.masked_select(tensor, ~finite)[0].item()}")
    return found
