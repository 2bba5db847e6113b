"""What a few steps of a variant take, for an estimate of what all of them will."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytorch_lightning as pl
from torch.utils.data import DataLoader

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.machine import pin
from mocha_lightning.experiment.provenance import peak_memory_mib
from mocha_lightning.experiment.resolving import open_data
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.trainer import build_trainer, first_of, share_of
from mocha_lightning.training.determinism import BUILDING, SeededSteps, seed_all

WARMING_UP = 2
"""Steps before those that count: the first allocate what all others use again."""
BATCHES = 3
"""Of a split, from its whole length: batches may be sorted by how long their items are."""


@dataclass(frozen=True)
class Measured:
    """Seconds of one run, and the memory of its process.

    Attributes:
        start: until the first step, libraries aside.
        step: of training.
        validation: of the whole validation split.
        test: of the whole test split; 0 where nobody looks at it.
        memory: MiB at most, as far as these steps tell.
    """

    start: float
    step: float
    validation: float
    test: float
    memory: float


def measure(spec: RunSpec, steps: int) -> Measured:
    """Train a variant for a few steps, decode a few batches, and keep nothing of it.

    The model is untrained: hard decoding may go on to its cap, which takes longer than it will.

    Args:
        spec: a run of the variant; its data must be prepared.
        steps: that count.

    Raises:
        UserError: it is one by several processes.
    """
    began = time.perf_counter()
    arguments = spec.config["trainer"]
    member = first_of(arguments)
    share = share_of(arguments, member)
    if share.processes > 1:
        keys = {"trainer.devices": member.devices, "trainer.num_nodes": member.nodes}
        several = {key: number for key, number in keys.items() if number > 1}
        raise UserError(
            f"{' and '.join(f'{key} is {number}' for key, number in several.items())}, and one "
            f"process is measured: plan it with --set {' '.join(f'{key}=1' for key in several)}; "
            "several are faster by less than their number"
        )
    pin(spec.threads)
    factory, data = open_data(spec.config, spec.seed, share)
    seed_all(spec.seed, BUILDING)
    task = factory(data.spec)
    stopwatch = _Stopwatch()
    few = WARMING_UP + steps
    trainer = build_trainer(
        {**arguments, "max_steps": few, "val_check_interval": few},
        [SeededSteps(spec.seed, share), stopwatch],
    )
    trainer.limit_val_batches = 0
    trainer.fit(task, datamodule=data)
    trainer.limit_val_batches = 1.0
    validation = _seconds(trainer.validate, task, data.val_dataloader())
    test = _seconds(trainer.test, task, data.test_dataloader()) if spec.metric.tested else 0.0
    return Measured(
        start=stopwatch.begun[0] - began,
        step=(stopwatch.ended - stopwatch.begun[WARMING_UP * share.rounds]) / steps,
        validation=validation,
        test=test,
        memory=peak_memory_mib(),
    )


class _Stopwatch(pl.Callback):
    """When each round of a step began and the last one ended."""

    def __init__(self) -> None:
        self.begun: list[float] = []
        self.ended = 0.0

    def on_train_batch_start(self, *_: Any) -> None:
        self.begun.append(time.perf_counter())

    def on_train_batch_end(self, *_: Any) -> None:
        self.ended = time.perf_counter()


def _seconds(
    evaluate: Callable[..., Any], task: pl.LightningModule, split: DataLoader[Any]
) -> float:
    """How long all batches of a split would take, by some of them."""
    batches = list(split)
    some: Any = batches[:: max(1, len(batches) // BATCHES)]
    began = time.perf_counter()
    evaluate(task, DataLoader(some, batch_size=None, collate_fn=_as_it_is), verbose=False)
    return (time.perf_counter() - began) * len(batches) / len(some)


def _as_it_is(batch: Any) -> Any:
    return batch
