"""The smallest task and corpus that an experiment can run: a line fitted to noisy points."""

import base64
import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from mocha_lightning.data.base import DataModule
from mocha_lightning.errors import NotANumberError, UserError
from mocha_lightning.shares import Share, TrainingShare
from mocha_lightning.training import weight_noise as noise
from mocha_lightning.training.processes import in_order, total
from mocha_lightning.training.task import Split, Task

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
"""A picture of one grey point."""


def die_here(phase: str, step: int, process: int = 0) -> None:
    """Die as a process does that is killed, where the environment says so."""
    which = f" in process {process}" if process else ""
    if os.environ.get("TOY_DIES_AT") == f"{phase} {step}{which}":
        os.kill(os.getpid(), signal.SIGKILL)


class Points(IterableDataset[Tensor]):
    """Batches of (x, y): batch k depends on the seed and k alone."""

    def __init__(self, seed: int, start: int, stop: int | None) -> None:
        self.seed, self.start, self.stop = seed, start, stop

    def __iter__(self) -> Iterator[Tensor]:
        number = self.start
        while self.stop is None or number < self.stop:
            generator = torch.Generator().manual_seed(1000 * self.seed + number)
            x = torch.rand(8, 3, generator=generator)
            noise = torch.randn(8, 1, generator=generator)
            yield torch.cat([x, x.sum(1, keepdim=True) + 0.1 * noise], 1)
            number += 1


class Parts(IterableDataset[Tensor]):
    """The parts of batches that one process has."""

    def __init__(self, parts: TrainingShare) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)


class ToyData(DataModule):
    """Points that cost nothing to prepare."""

    name = "points"
    places = ("shelf",)
    SHA256 = "0" * 64

    @property
    def packages(self) -> tuple[str, ...]:
        return ("PyYAML",)

    def __init__(self, size: int = 4, words: str = "few", shelf: str = "here") -> None:
        super().__init__()
        if size < 1:
            raise ValueError(f"size must be at least 1, not {size}")
        self.size = size

    @property
    def sha256(self) -> str:
        return self.SHA256

    @property
    def spec(self) -> int:
        return 3

    def describe(self) -> dict[str, Any]:
        return {"splits": {"test": {"batches": self.size}}}

    def check_shares(self, share: Share) -> None:
        share.check_divides(8)

    def train_dataloader(self) -> DataLoader[Tensor]:
        assert self.trainer is not None
        points: Any = Points(self.seed, self.trainer.global_step, None)
        return DataLoader(Parts(TrainingShare(points, self.share)), batch_size=None)

    def val_dataloader(self) -> DataLoader[Tensor]:
        return self._evaluated(-1)

    def test_dataloader(self) -> DataLoader[Tensor]:
        return self._evaluated(-2)

    def _evaluated(self, seed: int) -> DataLoader[Tensor]:
        batches: Any = self.share.of_evaluation(list(Points(seed, 0, self.size)))
        return DataLoader(batches, batch_size=None)


class WholeData(ToyData):
    """Points whose batches nobody may share."""

    def check_shares(self, share: Share) -> None:
        DataModule.check_shares(self, share)


class UnpreparedData(ToyData):
    """Points whose preparation nobody must begin."""

    places = ("place",)

    def __init__(self, place: str = "here") -> None:
        super().__init__()
        self.place = place

    @property
    def prepared(self) -> bool:
        if self.place != "here":
            raise UserError(f"{self.place}: no such folder")
        return False

    @property
    def presumption(self) -> str:
        return "three numbers a point are presumed"

    def prepare_data(self) -> None:
        raise AssertionError("the data were prepared")


class Mechanism(nn.Module):
    """What the toy's variants swap."""

    def __init__(self, dim: int, *, gain: float = 1.0, wide: bool = False) -> None:
        super().__init__()
        if gain <= 0:
            raise ValueError(f"gain must be positive, not {gain}")
        self.gain = gain
        # A wide mechanism draws more random numbers for its weights.
        self.scale = nn.Parameter(torch.randn(64 if wide else 1, dim))

    def forward(self, x: Tensor) -> Tensor:
        return x * (self.gain + 0.1 * self.scale.mean(0))


class Noisy(Mechanism):
    """A mechanism that draws random numbers as it trains."""

    def __init__(self, dim: int, *, gain: float = 1.0, noise: float = 0.1) -> None:
        super().__init__(dim, gain=gain)
        self.noise = noise

    def forward(self, x: Tensor) -> Tensor:
        x = super().forward(x)
        return x + self.noise * torch.randn_like(x) if self.training else x


MechanismFactory = Callable[[int], Mechanism]


class ToyTask(Task):
    """A line with dropout before it, batch normalisation, weight noise, Adam and a schedule."""

    departures = ("a line instead of a network",)
    by_processes = True

    def __init__(
        self,
        spec: int,
        mechanism: MechanismFactory,
        learning_rate: float = 0.01,
        hidden: int = 4,
        nan_from: int | None = None,
        not_a_number_at: int | None = None,
        fail_at: int | None = None,
        fail_in: int = 0,
        full_at: int | None = None,
        broken_disk_at: int | None = None,
        step_seconds: float = 0.0,
        weight_noise: float = 0.0,
    ) -> None:
        super().__init__()
        self.weight_noise = noise.WeightNoise(weight_noise, 3, [nn.Linear])
        self.shared = nn.Linear(spec, hidden)
        self.net = nn.Sequential(
            nn.BatchNorm1d(hidden), nn.Dropout(0.2), nn.ReLU(), nn.Linear(hidden, 1)
        )
        self.mechanism = mechanism(spec)
        self.learning_rate = learning_rate
        self.not_a_number_at = not_a_number_at
        self.nan_from, self.fail_at, self.step_seconds = nan_from, fail_at, step_seconds
        self.fail_in = fail_in
        self.disk_errors = {full_at: errno.ENOSPC, broken_disk_at: errno.EIO}

    def configure_callbacks(self) -> list[pl.Callback]:
        return [self.weight_noise]

    def metric_signatures(self, split: Split) -> dict[str, str]:
        return {"error": "mean absolute error"}

    def forward(self, points: Tensor) -> Tensor:
        return self.net(self.shared(self.mechanism(points[:, :3])))

    def training_step(self, points: Tensor, batch_idx: int) -> Tensor:
        die_here("training", self.global_step, self.global_rank)
        time.sleep(self.step_seconds)
        if self.not_a_number_at == self.global_step:
            with torch.no_grad():
                self.shared.weight.fill_(torch.nan)
            raise NotANumberError("at output 3, the logits are NaN")
        if self.fail_at == self.global_step and self.fail_in == self.global_rank:
            raise RuntimeError("the toy was told to fail")
        if error := self.disk_errors.get(self.global_step):
            raise OSError(error, os.strerror(error))
        loss = nn.functional.mse_loss(self(points), points[:, 3:])
        self.log("train/loss", loss, sync_dist=True)
        self.log("train/batch", total(points.sum()))
        self.log("train/shared", self.shared.weight.sum())
        return loss * float("nan") if self.nan_from == self.global_step else loss

    def validation_step(self, points: Tensor, batch_idx: int) -> None:
        die_here("validation", self.global_step, self.global_rank)
        self._evaluate(points, "val")

    def illustrate(self, data: pl.LightningDataModule) -> dict[str, bytes]:
        return {"line.txt": f"{self.shared.weight.sum().item()}".encode(), "line.png": PNG}

    def on_test_epoch_start(self) -> None:
        self.found: list[list[dict[str, Any]]] = []

    def on_test_epoch_end(self) -> None:
        self.predictions = [each for batch in in_order(self.found) for each in batch]

    def test_step(self, points: Tensor, batch_idx: int) -> None:
        die_here("test", batch_idx, self.global_rank)
        self._evaluate(points, "test")
        self.found.append([{"x": row[:3].tolist(), "y": row[3].item()} for row in points])

    def _evaluate(self, points: Tensor, split: str) -> None:
        output = self(points)
        wrong = output - points[:, 3:]
        sums: Any = {"batch_size": len(points), "sync_dist": True}
        self.log(f"{split}/error", wrong.abs().mean(), **sums)
        self.log(f"{split}/loss", wrong.square().mean(), **sums)

    def configure_optimizers(self) -> Any:
        optimizer = torch.optim.Adam(self.parameters(), lr=self.learning_rate)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.99**step)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


class BareTask(ToyTask):
    """The toy with one mechanism for all; by itself it would learn more slowly."""

    def __init__(
        self, spec: int, learning_rate: float = 0.001, hidden: int = 4, decay: float = 0.5
    ) -> None:
        super().__init__(spec, Mechanism, learning_rate, hidden)
        self.decay = decay


class LoneTask(ToyTask):
    """The toy as it would be if its scores were of what one process has seen."""

    by_processes = False
