"""What the runner itself costs in a study of a thousand runs on a hundred nodes that fail.

First one run of ``experiments/reordering.yaml`` is done here, which tells how long a run takes to
begin, how long a step and a validation. Then a study of many variants and seeds is done by the
real runner, with its board, retries, locks and files in a real folder; only the nodes are
simulated. They do nothing but what a run does to its folder, and the time in between passes on a
clock that leaps. Now and then a node is lost with its run, and comes back later (both drawn by
chance, from a seed).
Then ``status``, ``report`` and the command for all runs, which finds them done, look at that folder
as commands of their own.

Everything that is the runner's is timed on the real clock, and set beside the time that the study
took on the one that leaps. Training, its checkpoints and W&B are not the runner's
(``benchmarks/running.py`` has them).
"""

import heapq
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import yaml
from harness import Options, print_table, significant
from rich.console import Console
from running import EXPERIMENT, settings_of

from mocha_lightning.experiment import board, clock, runner
from mocha_lightning.experiment.board import Board
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.executors.base import Job
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.exits import DONE, GONE
from mocha_lightning.experiment.locks import locked
from mocha_lightning.experiment.places import CURVES, PREDICTIONS, RESULT, write_whole
from mocha_lightning.experiment.progress import Progress, read_progress, write_progress
from mocha_lightning.experiment.record import record
from mocha_lightning.experiment.resolving import open_data
from mocha_lightning.experiment.result import write_result
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

RUNS, VARIANTS, NODES = 1000, 20, 100
STEPS = 12_000
MEASURED = 120
"""Steps of the run that is done here."""
VALIDATIONS = 20
NODE_HOURS = 2
"""Between two losses of one node, on average; machines last longer, so this is hard weather."""
REPAIR_SECONDS = 600.0
SEED = 0
NAME = "study"


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


def measure(spec: RunSpec, folder: Path) -> Template:
    """Do a run."""
    asked: list[float] = []
    trained: list[float] = []

    def watch(runs: Sequence[Run]) -> None:
        asked[:] = asked or [time.monotonic()]
        if not trained and read_progress(runs[0].folder).phase == "training":
            trained.append(time.monotonic())

    (run,) = run_all([spec], folder, 1, Processes(DISABLED), watch)
    if run.state is not State.DONE:
        raise SystemExit(run.problem)
    result = json.loads((run.folder / RESULT).read_text())
    given = {"metrics", "best_step", "ended", "parameters", "notes", "departures", "data"}
    return Template(
        start=trained[0] - asked[0],
        step=read_progress(run.folder).seconds / spec.steps,
        facts={key: result[key] for key in (*sorted(given), "provenance")},
        curves=(run.folder / CURVES).read_text(),
        predictions=(run.folder / PREDICTIONS).read_text(),
    )


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


def study_of(variants: int, seeds: int, steps: int, cache: Path) -> dict[str, Any]:
    """An experiment of many variants."""
    content: dict[str, Any] = yaml.safe_load(EXPERIMENT.read_text())
    settings = settings_of(steps, cache)
    content["trainer"] |= {
        "max_steps": steps,
        "val_check_interval": steps // VALIDATIONS,
    }
    content["data"]["init_args"] |= {
        "test_documents": 200,
        "cache_dir": settings["data.cache_dir"],
    }
    recipe = content["variants"]["mocha_w2"]["task.attention"]
    content["variants"] = {
        f"w{w}": {
            "task.attention": {**recipe, "init_args": {**recipe["init_args"], "chunk_size": w}}
        }
        for w in range(1, variants + 1)
    }
    content["comparisons"] = [[f"w{w}", "w1"] for w in range(2, variants + 1)]
    return {"name": NAME, **content, "seeds": list(range(seeds))}


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


def seconds_of(words: Iterable[object], place: Path) -> float:
    """What a command takes."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "mocha_lightning", *map(str, words)],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - begun


def rows(place: Path, runs: int, nodes: int, steps: int, seed: int) -> Iterator[dict[str, str]]:
    """What the study took, and each part of the runner beside it."""
    variants = min(VARIANTS, runs)
    file = place / f"{NAME}.yaml"
    content = study_of(variants, -(-runs // variants), steps, place / "cache")
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    experiment = load_experiment(file)
    specs = experiment.runs("benchmarks/cluster.py")[:runs]
    _, data = open_data(specs[0].config, 0)
    specs = [replace(spec, data_sha256=data.sha256) for spec in specs]
    (short,) = load_experiment(
        file, seeds=[0], settings=settings_of(MEASURED, place / "cache")
    ).runs("", [specs[0].variant])
    template = measure(replace(short, data_sha256=data.sha256), place / "measured")
    folder = place / "runs" / NAME
    folder.mkdir(parents=True)
    record(experiment, folder)
    cluster = Cluster(nodes, template, random.Random(seed))
    took, own, done = simulate(specs, folder, cluster)
    failed = [run for run in done if run.state is not State.DONE]
    twice = sum(number > 1 for number in cluster.written.values())
    yield {
        "": (
            f"the study: {len(done)} runs of {steps:,} steps of {template.step * 1e3:.0f} ms, "
            f"{template.start:.1f} s to begin; {cluster.losses} runs lost with their node, "
            f"{len(failed)} failed, {twice} done twice"
        ),
        "s": significant(took),
        "%": "",
    }
    a_run = cluster.trained / len(done)
    yield _row("the command that watches: runner, board, locks, retries", own, took)
    in_a_run = cluster.spent / len(done)
    yield _row("in a run: lock, progress, curves, predictions, result", in_a_run, a_run)
    for words in (["status", folder], ["report", folder], ["run", file, "--wandb", "disabled"]):
        yield _row(f"mocha-lightning {words[0]}", seconds_of(words, place), took)


def _row(name: str, seconds: float, of: float) -> dict[str, str]:
    return {"": name, "s": significant(seconds), "%": f"{100 * seconds / of:.3f}"}


def main(arguments: list[str] | None = None) -> None:
    """Measure, simulate and print."""
    options = Options(__doc__, 1)
    options.whole_number("--runs", RUNS, "of the study")
    options.whole_number("--nodes", NODES, "that do one run at a time each")
    options.whole_number("--steps", STEPS, f"of each run, a multiple of {VALIDATIONS}")
    options.whole_number("--seed", SEED + 1, "of chance")
    given = options.parse_args(arguments)
    if given.steps % VALIDATIONS:
        options.error(f"--steps: must be a multiple of {VALIDATIONS}, the number of validations")
    with TemporaryDirectory() as place:
        print_table(
            f"{given.runs} runs on {given.nodes} nodes",
            rows(Path(place), given.runs, given.nodes, given.steps, given.seed),
        )


if __name__ == "__main__":
    main()
