"""Random numbers that depend on the seed and the step alone.

Lightning's checkpoints hold no random state, and a variant that draws more random numbers than
another would shift all that come after. So nothing is carried from one step to the next: each
step begins with fresh random states made of (seed, step). A run that goes on from a checkpoint
then has the bits of one that was never interrupted.
"""

import random
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch

BUILDING, TRAINING, VALIDATION, TEST = range(4)
"""What random numbers are drawn for; each purpose has a stream of its own."""


def seed_all(seed: int, purpose: int, step: int = 0) -> None:
    """Set the random states of Python, NumPy and PyTorch (all devices)."""
    words = np.random.SeedSequence([seed, purpose, step]).generate_state(3, np.uint64)
    python, numpy, pytorch = (int(word) for word in words)
    random.seed(python)
    np.random.seed(numpy % 2**32)
    if torch.accelerator.is_available():
        torch.manual_seed(pytorch)
    else:
        # The same numbers; the above would prepare for devices that are not there, which takes
        # longer than all the rest of this.
        torch.default_generator.manual_seed(pytorch)


class SeededSteps(pl.Callback):
    """Seed every training step, validation and test.

    Args:
        seed: the run's.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Before anything else of a training step."""
        seed_all(self.seed, TRAINING, trainer.global_step)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Before a validation."""
        seed_all(self.seed, VALIDATION, trainer.global_step)

    def on_test_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Before the test."""
        seed_all(self.seed, TEST)
