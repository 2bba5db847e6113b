"""What Weights & Biases costs a run: steps of some length, each of them logged, offline or not.

Two processes wait for as long as a step takes and tell a tracker eight scores after each; one keeps
them offline with the real W&B, the machine's load with them, and the other is told that W&B is
disabled. Since the steps compute nothing, the processor's time is W&B's: that of the process and of
W&B's own beside it, from before W&B begins until it has ended. (Runs log one step of fifty, unless
their experiment says otherwise.)
"""

import multiprocessing
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from harness import Options, Spent, median_spent, print_table, significant

from mocha_lightning.tracking import Identity, Tracker, WandbSettings

STEPS = 5000
STEP_MILLISECONDS = 200
"""A step of the demonstration."""
REPETITIONS = 1
SCORES = 8
MODES = ("disabled", "offline")


def tracked(mode: str, steps: int, milliseconds: int) -> Spent:
    """Wait for the steps and log each."""
    # What runs are forks of has it imported.
    import wandb

    config = {"config_hash": ""}
    identity = Identity("benchmark", mode, mode, (), config, "val/score_0", "min")
    with TemporaryDirectory() as folder:
        begun, before = time.perf_counter(), _cpu()
        tracker = Tracker(Path(folder), WandbSettings(mode), identity)
        tracker.wait_until_started()
        for step in range(1, steps + 1):
            time.sleep(milliseconds / 1e3)
            tracker.log(step, {f"train/score_{n}": 1 / step + n for n in range(SCORES)})
        tracker.finish(0, {})
        wall = time.perf_counter() - begun
        # Its service is waited for, and then counted.
        wandb.teardown()
        return Spent(wall, _cpu() - before)


def measured(steps: int, milliseconds: int) -> tuple[Spent, Spent]:
    """Without and with W&B, each in a process of its own, side by side."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(MODES), mp_context=fresh) as processes:
        without, offline = (processes.submit(tracked, mode, steps, milliseconds) for mode in MODES)
        return without.result(), offline.result()


def rows(steps: int, milliseconds: int, repetitions: int) -> Iterator[dict[str, str]]:
    """What is spent without and with W&B, and what that is of a run that computes all the time."""
    pairs = [measured(steps, milliseconds) for _ in range(repetitions)]
    whole = steps * milliseconds / 1e3
    for mode, times in zip(MODES, zip(*pairs, strict=True), strict=True):
        each = median_spent(times)
        yield {
            "W&B": mode,
            "processor, s": significant(each.cpu),
            "a step, ms": significant(1e3 * each.cpu / steps),
            f"of {whole:,.0f} s of steps, %": f"{100 * each.cpu / whole:.2f}",
            "clock, s": significant(each.wall),
        }


def _cpu() -> float:
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_number("--steps", STEPS, "that are logged")
    options.whole_number("--step-milliseconds", STEP_MILLISECONDS, "of a step")
    given = options.parse_args(arguments)
    print_table(
        f"{given.steps:,} logged steps",
        rows(given.steps, given.step_milliseconds, given.repetitions),
    )


if __name__ == "__main__":
    main()
