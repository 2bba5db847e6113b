"""Trainings in one process that do a step each in turn.

The speed of a processor swings within minutes by more than what a runner costs. Whatever it does,
it does to steps that are done a moment apart alike.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytorch_lightning as pl
from harness import Spent


def now() -> Spent:
    """This moment; the processor's time is that of the thread that asks."""
    return Spent(time.perf_counter(), time.thread_time())


class Turn(pl.Callback):
    """Let the others do a step each before each step of this one, and count what its own take.

    What comes before its first step is not counted; what comes after its last one is.

    Args:
        turns: shared with the others.
    """

    def __init__(self, turns: "_Turns") -> None:
        self.turns = turns
        self.laps: list[Spent] = []
        self._since = now()

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Wait until all others have had their step."""
        self.count()
        self.turns.next()
        self._since = now()

    def count(self) -> None:
        """Count what was done since its turn began."""
        self.laps.append(now() - self._since)

    @property
    def spent(self) -> Spent:
        """By all of its turns but the first, which came to no step."""
        counted = self.laps[1:]
        return Spent(sum(lap.wall for lap in counted), sum(lap.cpu for lap in counted))


class _Turns:
    """Which thread may go on."""

    def __init__(self) -> None:
        self._waiting: list[threading.Event] = []

    def enter(self) -> threading.Event:
        """Stand at the end of the line; the first one in it may go on."""
        mine = threading.Event()
        self._waiting.append(mine)
        if len(self._waiting) == 1:
            mine.set()
        return mine

    def next(self) -> None:
        """Go to the end of the line and wait until all before have had their turn."""
        mine = self._waiting.pop(0)
        mine.clear()
        self._waiting.append(mine)
        self._waiting[0].set()
        mine.wait()

    def leave(self) -> None:
        """Let the others go on without this one."""
        self._waiting.pop(0)
        if self._waiting:
            self._waiting[0].set()


def in_turn(works: Mapping[str, Callable[[Turn], object]]) -> tuple[dict[str, Spent], float]:
    """Do works side by side, one at a time.

    Args:
        works: each does a training that has the callback as its first.

    Returns:
        What each took from its first step on, and the processor's seconds that no thread of
        theirs has used.
    """
    turns = _Turns()
    entered = {name: (turns.enter(), Turn(turns)) for name in works}

    def do(name: str) -> float:
        mine, turn = entered[name]
        mine.wait()
        began = time.thread_time()
        try:
            works[name](turn)
        finally:
            turn.count()
            turns.leave()
        return time.thread_time() - began

    began = time.process_time()
    with ThreadPoolExecutor(len(works)) as threads:
        used = sum(threads.map(do, works))
    besides = time.process_time() - began - used
    return {name: turn.spent for name, (_, turn) in entered.items()}, besides
