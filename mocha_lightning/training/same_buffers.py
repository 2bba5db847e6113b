"""Processes that train one model evaluate one model."""

import pytorch_lightning as pl
from torch import distributed

from mocha_lightning.training.processes import processes


class SameBuffers(pl.Callback):
    """Before a validation, give all processes the first one's buffers, which checkpoints keep.

    Gradients keep parameters alike. A buffer that a module of the user's own makes of what it has
    seen, as torch's BatchNorm does, is of this process's parts of the batches.
    """

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Send and receive them."""
        if processes() > 1:
            for buffer in pl_module.buffers():
                distributed.broadcast(buffer, src=0)
