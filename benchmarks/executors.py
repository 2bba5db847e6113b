"""What executors cost: many short runs of an experiment's first variant, by each in turn.

A run of a few steps is nearly all beginning and end, so what an executor adds to it shows. Each
executor does the same runs one at a time, and Ray two at a time too, on a cluster of this machine;
a first run, which does not count, has each of its processes begun before. Seconds on the clock;
how long the cluster takes to begin stands by itself.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from harness import Options, print_table, ratio, significant
from running import EXPERIMENT, specs_of

from mocha_lightning.experiment.executors.base import Executor
from mocha_lightning.experiment.executors.on_ray import Ray
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.executors.ray_nodes import Request
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

RUNS = 12
STEPS = 30
Begin = Callable[[Path], Executor]


def processes(_: Path) -> Executor:
    """Processes of this machine."""
    return Processes(DISABLED)


def ray(folder: Path) -> Executor:
    """A Ray cluster on this machine."""
    return Ray(Request(), folder, DISABLED, {}, {})


class LeftOpen:
    """An executor that two rounds of runs share, where the first would leave it."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.slots = executor.slots
        self.begin = executor.begin

    def stop(self) -> None:
        """Whoever made the executor stops it."""


def seconds(begin: Begin, specs: Sequence[RunSpec], jobs: int) -> tuple[float, float]:
    """Seconds until an executor can begin runs, and those of all runs but those before."""
    with TemporaryDirectory() as folder:
        since = time.perf_counter()
        executor = begin(Path(folder))
        ready = time.perf_counter()
        try:
            first = [replace(spec, variant="first") for spec in specs[:jobs]]
            _do(first, Path(folder), jobs, LeftOpen(executor))
            begun = time.perf_counter()
            _do(specs, Path(folder), jobs, LeftOpen(executor))
            return ready - since, time.perf_counter() - begun
        finally:
            executor.stop()


def _do(specs: Sequence[RunSpec], folder: Path, jobs: int, executor: Executor) -> None:
    runs: list[Run] = run_all(specs, folder, jobs, executor, lambda _: None)
    if problems := [run.problem for run in runs if run.state is not State.DONE]:
        sys.exit(problems[0])


def medians(
    begin: Begin, specs: Sequence[RunSpec], jobs: int, repetitions: int
) -> tuple[float, float]:
    """Of what :func:`seconds` gives."""
    times = [seconds(begin, specs, jobs) for _ in range(repetitions)]
    joined, took = map(median, zip(*times, strict=True))
    return joined, took


def rows(specs: Sequence[RunSpec], repetitions: int) -> Iterator[dict[str, str]]:
    """Each executor beside processes, one run at a time, and Ray with two beside one."""
    _, alone = medians(processes, specs, 1, repetitions)
    yield _row("process, 1 at a time", 0.0, alone, alone, specs)
    joined, one = medians(ray, specs, 1, repetitions)
    yield _row("ray, 1 worker", joined, one, alone, specs)
    joined, two = medians(ray, specs, 2, repetitions)
    yield {**_row("ray, 2 workers", joined, two, alone, specs), "throughput": ratio(one, two)}


def _row(
    name: str, joined: float, took: float, alone: float, specs: Sequence[RunSpec]
) -> dict[str, str]:
    return {
        "": name,
        "to begin, s": significant(joined) if joined else "",
        "a run, s": significant(took / len(specs)),
        "more than a process, s": f"{(took - alone) / len(specs):.2f}",
        "throughput": "",
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, 1)
    options.whole_number("--runs", RUNS, "done by each")
    options.whole_number("--steps", STEPS, "of each run")
    given = options.parse_args(arguments)
    with TemporaryDirectory() as cache:
        specs = specs_of(EXPERIMENT, given.steps, range(given.runs), Path(cache))
        print_table(f"{given.runs} runs of {given.steps} steps", rows(specs, given.repetitions))


if __name__ == "__main__":
    main()
