"""Random numbers that depend on the seed and the step alone.

Lightning's checkpoints hold no random state, and a variant that draws more random numbers than
another would shift all that come after. So nothing is carried from one step to the next: each
step begins with fresh random states made of (seed, step), and in each part of a batch that is
shared, of (seed, step, part). A run that goes on from a checkpoint then has the bits of one that
was never interrupted.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch

from mocha_lightning.shares import WHOLE, Share

BUILDING, TRAINING, VALIDATION, TEST = range(4)
"""What random numbers are drawn for; each purpose has a stream of its own."""


def seed_all(seed: int, purpose: int, step: int = 0, part: int = 0) -> None:
    """Set the random states of Python, NumPy and PyTorch (all devices).

    Args:
        seed: the run's.
        purpose: what the numbers are drawn for.
        step: the updates made so far.
        part: which part of the update's batch; the first has the numbers of a whole batch.
    """
    entropy = [seed, purpose, step, *([part] if part else [])]
    words = np.random.SeedSequence(entropy).generate_state(3, np.uint64)
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
        share: what of each batch this process computes.
    """

    def __init__(self, seed: int, share: Share = WHOLE) -> None:
        self.seed = seed
        self.share = share

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Before anything else of a training step."""
        seed_all(self.seed, TRAINING, trainer.global_step, self.share.number(batch_idx))

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Before a validation."""
        seed_all(self.seed, VALIDATION, trainer.global_step)

    def on_test_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Before the test."""
        seed_all(self.seed, TEST)


@contextmanager
def same_in_all_parts(trainer: pl.Trainer, batch_idx: int) -> Iterator[None]:
    """Draw what belongs to the update and not to a part of its batch, as a step begins.

    Args:
        trainer: of the step.
        batch_idx: of the step.
    """
    callbacks: list[pl.Callback] = trainer.callbacks  # type: ignore[attr-defined]
    seeded = next((each for each in callbacks if isinstance(each, SeededSteps)), None)
    part = 0 if seeded is None else seeded.share.number(batch_idx)
    if seeded is None or part == 0:
        yield
        return
    seed_all(seeded.seed, TRAINING, trainer.global_step)
    yield
    seed_all(seeded.seed, TRAINING, trainer.global_step, part)
