"""What the runner costs beside the training itself, and how long a run takes to begin.

First one run of an experiment's first variant, of a minute or so: trained, validated, tested and
illustrated with nothing around it; and, a step of each in turn, as a run with its checkpoints,
learning curves, progress and result. Both come to the same weights, which is checked, and are
counted from their first step on. Then the process that watches runs. Seconds of processor time and
on the clock; medians. Then how long a run takes to its first step: the first one from the moment at
which the command is given, later ones from that at which the runner begins them.
"""

import io
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import pytorch_lightning as pl
import torch
from harness import Options, Spent, median_spent, print_table, significant
from rich.console import Console
from turns import Turn, in_turn

from mocha_lightning.experiment import execute
from mocha_lightning.experiment.board import Board
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.inert import load
from mocha_lightning.experiment.machine import pin
from mocha_lightning.experiment.membership import Membership
from mocha_lightning.experiment.places import CHECKPOINTS, PROGRESS
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.resolving import open_data
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.server import preloaded
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.trainer import build_trainer
from mocha_lightning.tracking import WandbSettings
from mocha_lightning.training.determinism import BUILDING, SeededSteps, seed_all

EXPERIMENT = Path(__file__).parents[1] / "experiments" / "reordering.yaml"
REPETITIONS = 3
STEPS = 600
VALIDATIONS = 6
FEW = 30
"""Steps of the runs whose start is timed."""
STARTED = 3
"""Runs, one after the other, whose start is timed."""

Weights = dict[str, torch.Tensor]


def settings_of(steps: int, cache: Path) -> dict[str, Any]:
    """What is changed of the experiment."""
    return {
        "trainer.max_steps": steps,
        "trainer.val_check_interval": steps // VALIDATIONS,
        "data.cache_dir": str(cache),
    }


def specs_of(file: Path, steps: int, seeds: Sequence[int], cache: Path) -> list[RunSpec]:
    """Runs of an experiment's first variant, their data made."""
    settings = settings_of(steps, cache)
    experiment = load_experiment(file, seeds=seeds, settings=settings)
    specs = experiment.runs("benchmarks/running.py", [experiment.variants[0].name])
    _, data = open_data(specs[0].config, specs[0].seed)
    return [replace(spec, data_sha256=data.sha256) for spec in specs]


def bare(spec: RunSpec, turn: Turn) -> Weights:
    """The training itself: as in ``execute.py``, with nothing around it."""
    pin(spec.threads)
    factory, data = open_data(spec.config, spec.seed)
    seed_all(spec.seed, BUILDING)
    task = factory(data.spec)
    trainer = build_trainer(spec.config["trainer"], [turn, SeededSteps(spec.seed)])
    trainer.fit(task, datamodule=data)
    trainer.test(task, datamodule=data, verbose=False)
    task.eval()
    task.illustrate(data)
    return task.state_dict()


def as_a_run(spec: RunSpec, wandb: str, turn: Turn) -> Weights:
    """The same as a run."""

    def build(
        arguments: dict[str, Any], callbacks: list[pl.Callback], member: Membership
    ) -> pl.Trainer:
        return build_trainer(arguments, [turn, *callbacks], member)

    with TemporaryDirectory() as folder, patch.object(execute, "build_trainer", build):
        execute.execute(spec, Path(folder), WandbSettings(wandb))
        weights: Weights = load(Path(folder) / CHECKPOINTS / "last.ckpt")["state_dict"]
    return weights


def both(spec: RunSpec, wandb: str) -> tuple[Spent, Spent]:
    """What the training itself takes, and the same as a run: a step of each in turn.

    W&B's threads in this process count as the run's.
    """
    weights: list[Weights] = []
    spent, besides = in_turn(
        {
            "alone": lambda turn: weights.append(bare(spec, turn)),
            "run": lambda turn: weights.append(as_a_run(spec, wandb, turn)),
        }
    )
    alone, run = weights
    if any(not torch.equal(alone[name], run[name]) for name in alone):
        raise SystemExit("the run came to other weights than the training alone: no comparison")
    return spent["alone"], Spent(spent["run"].wall, spent["run"].cpu + besides)


class Watched(NamedTuple):
    """Of runs that a runner did: seconds until each trained, and its own of the processor."""

    starts: list[float]
    cpu: float


def watched(specs: Sequence[RunSpec], wandb: str) -> Watched:
    """Have a runner do runs one after the other, as a command does, and look at what it does."""
    asked: dict[str, float] = {}
    training: dict[str, float] = {}
    cpu: list[float] = []
    terminal = Console(file=io.StringIO(), force_terminal=True, width=120, height=40)

    def watch(runs: Sequence[Run]) -> None:
        board(runs)
        for run in runs:
            if run.state is State.RUNNING:
                asked.setdefault(run.name, time.time())
            # What is read here is read for the benchmark, and no more of it than that needs.
            if run.name in training:
                continue
            seen = read_progress(run.folder)
            if seen.phase == "training":
                training[run.name] = seen.updated
                cpu.append(time.process_time())

    with TemporaryDirectory() as folder, Board(terminal, 1, specs[0].metric.validation) as board:
        runs = run_all(specs, Path(folder), 1, Processes(WandbSettings(wandb)), watch)
    used = time.process_time() - cpu[0]
    if problems := [run.problem for run in runs if run.state is not State.DONE]:
        raise SystemExit(problems[0])
    return Watched([training[run.name] - asked[run.name] for run in runs], used)


def from_the_command(file: Path, cache: Path, wandb: str) -> float:
    """Seconds from giving the command to the first step of its first run."""
    settings = settings_of(FEW, cache)
    with TemporaryDirectory() as folder:
        words = ["run", str(file), *("--wandb", wandb), *("--jobs", "1"), *("--seeds", "0")]
        places = [*("--runs", f"{folder}/runs"), *("--reports", f"{folder}/reports")]
        changes = ["--set", *(f"{key}={value}" for key, value in settings.items())]
        begun = time.time()
        with subprocess.Popen(
            [sys.executable, "-m", "mocha_lightning", *words, *places, *changes],
            stdout=subprocess.DEVNULL,
        ) as command:
            while command.poll() is None:
                for path in Path(folder).glob(f"runs/*/*/*/{PROGRESS}"):
                    seen = read_progress(path.parent)
                    if seen.phase == "training":
                        command.terminate()
                        command.wait()
                        return seen.updated - begun
                time.sleep(0.02)
    raise SystemExit("the command ended before its first run began")


def loaded(work: Callable[..., Any], wandb: str, *arguments: object) -> Any:
    """Call something where a run's libraries are loaded, as they are of what runs are forked."""
    for module in preloaded(WandbSettings(wandb)):
        import_module(module)
    return work(*arguments)


def in_a_process_of_its_own(work: Callable[..., Any], *arguments: object) -> Any:
    """Call something where nothing else has been done."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as processes:
        return processes.submit(work, *arguments).result()


def cost_rows(spec: RunSpec, repetitions: int, wandb: str) -> Iterator[dict[str, str]]:
    """The training itself, the same as a run, the runner beside it."""
    times = [in_a_process_of_its_own(loaded, both, wandb, spec, wandb) for _ in range(repetitions)]
    own = [in_a_process_of_its_own(watched, [spec], wandb).cpu for _ in range(repetitions)]
    alone, run = map(median_spent, zip(*times, strict=True))
    runner = Spent(0.0, median(own))
    together = Spent(run.wall, run.cpu + runner.cpu)
    for name, each in (
        ("training alone", alone),
        ("as a run", run),
        ("the process that watches", runner),
        ("run and watching", together),
    ):
        yield {
            "": name,
            "processor, s": significant(each.cpu),
            "of the training's, %": f"{100 * each.cpu / alone.cpu:.1f}",
            "clock, s": significant(each.wall) if each.wall else "",
            "of the training's on the clock, %": (
                f"{100 * each.wall / alone.wall:.1f}" if each.wall else ""
            ),
        }


def start_rows(
    file: Path, specs: Sequence[RunSpec], cache: Path, repetitions: int, wandb: str
) -> Iterator[dict[str, str]]:
    """How long the first run of a command and later ones take to begin."""
    first = [from_the_command(file, cache, wandb) for _ in range(repetitions)]
    later = [
        start
        for _ in range(repetitions)
        for start in in_a_process_of_its_own(watched, specs, wandb).starts[1:]
    ]
    for name, starts in (("the first run, from the command", first), ("a later run", later)):
        yield {
            "": name,
            "median, s": significant(median(starts)),
            "longest, s": significant(max(starts)),
            "runs": str(len(starts)),
        }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_number("--steps", STEPS, "of the run")
    options.add_argument("--experiment", type=Path, default=EXPERIMENT, help="file of one")
    options.add_argument("--wandb", choices=("disabled", "offline"), default="disabled")
    given = options.parse_args(arguments)
    if given.steps % VALIDATIONS:
        options.error(f"--steps: must be a multiple of {VALIDATIONS}, the number of validations")
    with TemporaryDirectory() as folder:
        make = partial(specs_of, given.experiment, cache=Path(folder))
        (spec,) = make(given.steps, [0])
        name = f"{spec.experiment}, {spec.variant}"
        print_table(
            f"{name}, {given.steps:,} steps with {VALIDATIONS} validations",
            cost_rows(spec, given.repetitions, given.wandb),
        )
        print_table(
            "Until a run's first step",
            start_rows(
                *(given.experiment, make(FEW, range(STARTED)), Path(folder)),
                *(given.repetitions, given.wandb),
            ),
        )


if __name__ == "__main__":
    main()
