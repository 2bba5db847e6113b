"""A cluster whose nodes do nothing but what a run does to its folder, on a clock that leaps."""

import heapq
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.console import Console

from mocha_lightning.experiment import board, clock, runner
from mocha_lightning.experiment.board import Board
from mocha_lightning.experiment.executors.base import Job
from mocha_lightning.experiment.exits import DONE, GONE
from mocha_lightning.experiment.locks import locked
from mocha_lightning.experiment.places import CURVES, PREDICTIONS
from mocha_lightning.experiment.progress import Progress, read_progress, write_progress
from mocha_lightning.experiment.result import write_result
from mocha_lightning.experiment.runner import Run, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.whole_files import write_whole

VALIDATIONS = 20
NODE_HOURS = 2
"""Between two losses of one node, on average; machines last longer, so this is hard weather."""
REPAIR_SECONDS = 600.0


@dataclass(frozen=True)
class Template:
    """A run that was done here: how long it took, and what it left.

    Attributes:
        start: seconds from the runner's asking to the first step.
        step: seconds of a step, its share of the validations in it.
        facts: of its result.
        curves: its learning curves, a line for each time.
        predictions: of the test split.
    """

    start: float
    step: float
    facts: Mapping[str, Any]
    curves: str
    predictions: str


@dataclass(eq=False)
class SimulatedJob:
    """A run on a node."""

    life: Iterator[float]
    exitcode: int | None = None
    said: str = ""


@dataclass(eq=False)
class Node:
    """A machine that does one run at a time, or is lost."""

    job: SimulatedJob | None = None
    is_lost: bool = False


@dataclass
class Cluster:
    """An executor whose nodes only seem to train.

    Args:
        nodes: so many.
        template: how long a run takes, and what it leaves.
        chance: of how long each step takes, and of when nodes are lost.
    """

    nodes: int
    template: Template
    chance: random.Random
    now: float = 0.0
    spent: float = 0.0
    """Seconds, on the real clock, that runs took for their locks and files."""
    trained: float = 0.0
    """Seconds of all runs, on the clock that leaps."""
    losses: int = 0
    written: dict[Path, int] = field(default_factory=dict)
    """How often each run wrote a result."""
    _events: list[tuple[float, int, Node, SimulatedJob | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._nodes = [Node() for _ in range(self.nodes)]
        for node in self._nodes:
            self._at(self._life_of_a_node(), node, None)

    @property
    def slots(self) -> int:
        """As many as nodes."""
        return self.nodes

    def begin(self, specs: Mapping[Path, RunSpec]) -> Sequence[Job]:
        """Give runs to nodes; they wait where all have one."""
        jobs = [SimulatedJob(self._life(folder, spec)) for folder, spec in specs.items()]
        self._waiting += jobs
        self._place()
        return jobs

    def stop(self) -> None:
        """The study is over."""

    def pass_by(self, now: float) -> None:
        """Have the nodes do what falls into the time until now."""
        while self._events and self._events[0][0] <= now:
            self.now, _, node, job = heapq.heappop(self._events)
            if job is None:
                self._turn(node)
            elif node.job is job:
                self._go_on(node, job)
        self.now = now

    @cached_property
    def _waiting(self) -> list[SimulatedJob]:
        return []

    def _place(self) -> None:
        for node in self._nodes:
            if self._waiting and node.job is None and not node.is_lost:
                node.job = self._waiting.pop(0)
                self._go_on(node, node.job)

    def _go_on(self, node: Node, job: SimulatedJob) -> None:
        begun = time.perf_counter()
        seconds = next(job.life, None)
        self.spent += time.perf_counter() - begun
        if seconds is None:
            job.exitcode, node.job = DONE, None
            self._place()
            return
        self.trained += seconds
        self._at(seconds, node, job)

    def _turn(self, node: Node) -> None:
        """A node is lost with its run, or is there again."""
        node.is_lost = not node.is_lost
        if node.is_lost:
            self.losses += node.job is not None
            if node.job is not None:
                # As the system frees the lock of a process that is gone.
                node.job.life.close()  # type: ignore[attr-defined]
                node.job.exitcode, node.job.said = GONE, "its node was lost"
                node.job = None
            self._at(REPAIR_SECONDS, node, None)
        else:
            self._at(self._life_of_a_node(), node, None)
            self._place()

    def _life_of_a_node(self) -> float:
        return self.chance.expovariate(1 / (NODE_HOURS * 3600))

    def _at(self, seconds: float, node: Node, job: SimulatedJob | None) -> None:
        heapq.heappush(self._events, (self.now + seconds, self.chance.getrandbits(62), node, job))

    def _life(self, folder: Path, spec: RunSpec) -> Iterator[float]:
        """What a run does to its folder; gives the seconds that pass in between."""
        steps, every = spec.steps, spec.steps // VALIDATIONS
        with locked(folder):
            at = read_progress(folder)
            write_progress(folder, replace(at, phase="starting", steps=steps))
            yield self.template.start
            for step in range(at.saved + every, steps + 1, every):
                seconds = every * self.template.step * self.chance.uniform(0.9, 1.1)
                yield seconds
                with (folder / CURVES).open("a") as curves:
                    curves.write(self.template.curves)
                spent = at.seconds + seconds
                at = Progress("training", step, steps, saved=step, seconds=spent)
                write_progress(folder, at)
            write_whole(folder / PREDICTIONS, self.template.predictions)
            write_result(folder, spec, {**self._facts(), "steps": steps, "best_step": steps})
            self.written[folder] = self.written.get(folder, 0) + 1
            write_progress(folder, replace(at, phase="done"))

    def _facts(self) -> dict[str, Any]:
        metrics = {
            name: {**each, "value": self.chance.random()}
            for name, each in self.template.facts["metrics"].items()
        }
        return {**self.template.facts, "metrics": metrics}


class LeapingClock:
    """What the runner and the board take for ``time``: it stands still, but where they sleep.

    Args:
        cluster: whose nodes work in the meantime.
    """

    process_time = staticmethod(time.process_time)

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.now = 0.0
        self.waited = 0.0
        """Seconds, on the real clock, that it took to do what nodes do."""

    def monotonic(self) -> float:
        """Seconds since the study began."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        begun = time.perf_counter()
        self.now += seconds
        self.cluster.pass_by(self.now)
        self.waited += time.perf_counter() - begun


def simulate(
    specs: Sequence[RunSpec], folder: Path, cluster: Cluster
) -> tuple[float, float, list[Run]]:
    """Have the runner do runs.

    Returns:
        The seconds that the study took, those of them that were the runner's own, and the runs.
    """
    leaping = LeapingClock(cluster)
    with ExitStack() as stack:
        for module in (runner, board, clock):
            stack.enter_context(patch.object(module, "time", leaping))
        nowhere = stack.enter_context(Path(os.devnull).open("w"))
        terminal = Console(file=nowhere, force_terminal=True, width=120, height=60)
        shown = stack.enter_context(Board(terminal, cluster.slots, specs[0].metric.validation))
        begun = time.perf_counter()
        runs = run_all(specs, folder, cluster.slots, cluster, shown)
        return leaping.now, time.perf_counter() - begun - leaping.waited, runs
