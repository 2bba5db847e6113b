"""``benchmarks/turns.py``."""

import time
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from turns import Turn, in_turn

STEP = 0.05
"""Seconds of the processor that a step takes at least; clocks may tick in hundredths."""


class Line(pl.LightningModule):
    """Says when it makes a step."""

    def __init__(self, name: str, said: list[str]) -> None:
        super().__init__()
        self.layer = nn.Linear(1, 1)
        self.name, self.said = name, said

    def training_step(self, batch: Tensor) -> Tensor:
        self.said.append(self.name)
        over = time.thread_time() + STEP
        while time.thread_time() < over:
            pass
        return self.layer(batch).sum()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), 0.1)


def train(name: str, said: list[str], steps: int, turn: Turn) -> None:
    quiet: dict[str, Any] = {"logger": False, "enable_checkpointing": False}
    quiet |= {"enable_progress_bar": False, "enable_model_summary": False}
    trainer = pl.Trainer(accelerator="cpu", max_steps=steps, callbacks=[turn], **quiet)
    trainer.fit(Line(name, said), DataLoader(torch.ones(8, 1)))
    said.append(f"{name} is over")


def test_each_makes_a_step_and_those_left_go_on() -> None:
    said: list[str] = []
    before = time.perf_counter()
    spent, besides = in_turn(
        {
            "a": lambda turn: train("a", said, 2, turn),
            "b": lambda turn: train("b", said, 4, turn),
        }
    )
    assert said == ["a", "b", "a", "a is over", "b", "b", "b", "b is over"]
    for name, steps in (("a", 2), ("b", 4)):
        assert spent[name].cpu > (steps - 0.5) * STEP
    # While one makes a step, the other's clock stands still.
    assert sum(each.wall for each in spent.values()) < time.perf_counter() - before
    assert besides > -STEP


def test_one_that_fails_holds_nobody_up() -> None:
    said: list[str] = []

    def fail(turn: Turn) -> None:
        raise ValueError("that went wrong")

    with pytest.raises(ValueError, match="that went wrong"):
        in_turn({"a": lambda turn: train("a", said, 2, turn), "b": fail})
    assert said == ["a", "a", "a is over"]
