"""What Weights & Biases costs a run: steps of some length, each of them logged, offline or not.

Two processes do the same fixed work and tell a tracker eight scores after each step; one keeps
them offline with the real W&B, the machine's load with them, and the other is told that W&B is
disabled. The processor time is that of the process and of W&B's own beside it, from before W&B
begins until it has ended; medians. Then what that is of a run with other steps. (Runs log one
step of fifty, unless their experiment says otherwise.)
"""

import multiprocessing
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from harness import Options, compute_as_runs_do, print_table, significant

from mocha_lightning.speed.interleaving import rotations
from mocha_lightning.tracking import Identity, Tracker, WandbSettings

STEPS = 5000
STEP_MILLISECONDS = 20
OTHERS = (50, 100, 200)
"""Milliseconds of other steps; the last is that of the demonstration."""
REPETITIONS = 3
SCORES = 8
SIDE = 128
"""Of the matrices whose products are a step's work."""
MODES = ("disabled", "offline")


class Spent(NamedTuple):
    """Seconds of the processor, in all processes, and on the clock."""

    cpu: float
    wall: float


def work(products: int) -> float:
    """What a step computes."""
    matrix = torch.full((SIDE, SIDE), 1 / SIDE)
    total = matrix
    for _ in range(products):
        total = total @ matrix
    return float(total[0, 0])


def products_in(milliseconds: float) -> int:
    """How many products take so long here."""
    work(100)
    # Of the processor, which others on the machine change little.
    begun = time.process_time()
    work(10_000)
    return max(1, round(10_000 * milliseconds / 1e3 / (time.process_time() - begun)))


def tracked(mode: str, steps: int, products: int) -> Spent:
    """Do the steps and log each."""
    compute_as_runs_do()
    # What runs are forks of has it imported.
    import wandb

    config = {"config_hash": ""}
    identity = Identity("benchmark", mode, mode, (), config, "val/score_0", "min")
    with TemporaryDirectory() as folder:
        begun, before = time.perf_counter(), _cpu()
        tracker = Tracker(Path(folder), WandbSettings(mode), identity)
        tracker.wait_until_started()
        for step in range(1, steps + 1):
            value = work(products)
            tracker.log(step, {f"train/score_{n}": value / step + n for n in range(SCORES)})
        tracker.finish(0, {})
        wall = time.perf_counter() - begun
        # Its service is waited for, and then counted.
        wandb.teardown()
        return Spent(_cpu() - before, wall)


def measured(mode: str, steps: int, products: int) -> Spent:
    """The same in a process of its own."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as processes:
        return processes.submit(tracked, mode, steps, products).result()


def rows(steps: int, milliseconds: int, repetitions: int) -> Iterator[dict[str, str]]:
    """What a run costs without and with W&B, and what the difference is of others."""
    products = products_in(milliseconds)
    times: dict[str, list[Spent]] = {mode: [] for mode in MODES}
    for order in rotations(list(MODES), repetitions):
        for mode in order:
            times[mode].append(measured(mode, steps, products))
    without, offline = (Spent(*map(median, zip(*times[m], strict=True))) for m in MODES)
    extra = Spent(*(a - b for a, b in zip(offline, without, strict=True)))
    for name, each in (("disabled", without), ("offline", offline)):
        yield row(f"{name}, steps of {1e3 * without.cpu / steps:.0f} ms", each, without)
    for other in OTHERS:
        run = steps * other / 1e3
        whole = Spent(run + extra.cpu, run + extra.wall)
        yield row(f"offline, steps of {other} ms (reckoned)", whole, Spent(run, run))


def row(name: str, each: Spent, without: Spent) -> dict[str, str]:
    """A run's seconds, and how much more they are than without W&B."""
    return {
        "W&B": name,
        "processor, s": significant(each.cpu),
        "more, %": f"{100 * (each.cpu / without.cpu - 1):.1f}",
        "clock, s": significant(each.wall),
        "more on the clock, %": f"{100 * (each.wall / without.wall - 1):.1f}",
    }


def _cpu() -> float:
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_number("--steps", STEPS, "that are logged")
    options.whole_number("--step-milliseconds", STEP_MILLISECONDS, "of work in a step")
    given = options.parse_args(arguments)
    compute_as_runs_do()
    print_table(
        f"{given.steps:,} logged steps",
        rows(given.steps, given.step_milliseconds, given.repetitions),
    )


if __name__ == "__main__":
    main()
