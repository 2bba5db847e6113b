"""Adam as both tasks use it (Appendix A.1, A.2)."""

from collections.abc import Callable, Mapping

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.types import OptimizerLRSchedulerConfig

from mocha_lightning.training.parameter_groups import parameter_groups


def adam(
    task: pl.LightningModule,
    learning_rate: float,
    schedule: Callable[[int], float],
    epsilon: float,
    weight_decay: float,
    factors: Mapping[str, float],
) -> OptimizerLRSchedulerConfig:
    """Adam with the paper's beta of 0.9 and 0.999; the schedule moves every rate at every update.

    Args:
        task: whose parameters it moves.
        learning_rate: initial.
        schedule: maps the number of updates to a factor on the rate.
        epsilon: Adam's.
        weight_decay: coefficient of the L2 penalty.
        factors: multiples of the rate, by the full names of parameters with one of their own.
    """
    # Lightning clips no gradients of a fused optimiser that computes in mixed precision.
    mixed = task._trainer is not None and "mixed" in task.trainer.precision
    optimizer = torch.optim.Adam(
        parameter_groups(task, learning_rate, factors),
        betas=(0.9, 0.999),
        eps=epsilon,
        weight_decay=weight_decay,
        fused=not mixed,
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}
