"""Whether a sweep that is killed loses a trial, and how much faster two commands are than one.

First, as often as asked, two commands do one small sweep beside each other, a trial at a time each.
Once their runs have made a number of steps that is drawn by chance, and another part of a second
has passed, one of the commands, one of its runs, or both commands with all of their processes are
killed by SIGKILL. Where a command is left, it must do all that is left; then the same command is
given once more. Every planned trial must then be in the study's books once, complete, and worth
what its run's result says; none may still be running there, and no result that was there when the
blow fell may have been written again. It takes a minute or so a sweep.

Then one command does a sweep alone, and two commands do the same sweep together, of longer runs.
Trials per hour are counted from the beginning of the first trial to the end of the last one, so
that the seconds that a command takes to load count for nothing.
"""

import json
import random
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import optuna
import yaml
from harness import Options, print_table, ratio, significant
from interruptions import VICTIMS, Place, strike
from optuna.trial import FrozenTrial, TrialState

from mocha_lightning.experiment.places import PROGRESS, RESULT, TRIAL, trial_name
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.sweep.storage import open_storage

REPETITIONS = 10
TRIALS = 6
STEPS = 30
LONG_TRIALS = 8
LONG_STEPS = 300
KILLS, RATE = "kills", "rate"
STORAGES = ("sqlite", "journal")


def sweep(trials: int) -> dict[str, Any]:
    """Offsets of the small experiment's MoChA."""
    return {
        "experiment": "small.yaml",
        "variant": "mocha",
        "space": {
            "task.attention.offset": {"low": -6, "high": 2},
            "task.attention.chunk_size": [1, 2, 4],
        },
        "trials": trials,
    }


class SweepPlace:
    """A folder with a sweep's file, in which commands are given.

    Args:
        folder: the folder.
        trials: of the sweep.
        steps: of each run, a multiple of 6.
    """

    def __init__(self, folder: Path, trials: int, steps: int) -> None:
        self.place = Place(folder, steps)
        self.trials = trials
        self.steps = steps
        self.file = folder / "offset.yaml"
        self.file.write_text(yaml.safe_dump(sweep(trials), sort_keys=False))

    def finish(self, runs: str, storage: str, commands: int) -> None:
        """Give the command so often at once, and wait for all."""
        self.place.finish(*(self.begin(runs, storage) for _ in range(commands)))

    def begin(self, runs: str, storage: str) -> "subprocess.Popen[bytes]":
        """Give the command, which does one trial at a time."""
        places = ("--runs", runs, "--storage", storage)
        return self.place.give("sweep", self.file, "--jobs", 1, *places)

    def sweep_folder(self, runs: str) -> Path:
        """The folder of all trials."""
        return self.file.parent / runs / self.file.stem

    def wait_for(self, runs: str, steps: int) -> None:
        """Wait until runs have begun and made so many steps."""
        folder = self.sweep_folder(runs)
        while not any(folder.glob(f"trial-*/seed-0/{PROGRESS}")) or self._steps(folder) < steps:
            time.sleep(0.02)

    def results(self, runs: str) -> dict[Path, int]:
        """The results that there are, and when each was written."""
        paths = self.sweep_folder(runs).glob(f"trial-*/seed-0/{RESULT}")
        return {path: path.stat().st_mtime_ns for path in paths}

    def books(self, runs: str, storage: str) -> list[FrozenTrial]:
        """The trials in the study's books."""
        books = open_storage(storage, self.sweep_folder(runs))
        return optuna.load_study(study_name=self.file.stem, storage=books).trials

    def _steps(self, folder: Path) -> int:
        return sum(read_progress(path).step for path in folder.glob("trial-*/seed-0"))


def is_done(folder: Path, trial: FrozenTrial) -> bool:
    """Whether the books, ``trial.json`` and the run's result say the same of a complete trial."""
    folder = folder / trial_name(trial.number)
    if trial.state is not TrialState.COMPLETE or not (folder / TRIAL).exists():
        return False
    said = json.loads((folder / TRIAL).read_text())
    result = json.loads((folder / "seed-0" / RESULT).read_text())
    settings = (said["values"], result["differences"])
    values = (said["value"], result["metrics"]["val/exact_match"]["value"])
    return settings == (trial.params,) * 2 and values == (trial.value,) * 2


def kill_rows(place: SweepPlace, repetitions: int, seed: int) -> Iterator[dict[str, str]]:
    """A row for each sweep that is killed."""
    chance = random.Random(seed)
    for number in range(repetitions):
        runs, storage = f"blow-{number}", STORAGES[number % len(STORAGES)]
        moment = chance.randrange(place.trials * place.steps)
        more = chance.random()
        commands = [place.begin(runs, storage) for _ in range(2)]
        place.wait_for(runs, moment)
        time.sleep(more)
        struck = strike(commands[0], VICTIMS[number % len(VICTIMS)], chance)
        if struck == "all":
            strike(commands[1], "all", chance)
        before = place.results(runs)
        place.place.finish(*{"the command": commands[1:], "all": []}.get(struck, commands))
        place.finish(runs, storage, 1)
        books, after = place.books(runs, storage), place.results(runs)
        done = {t.number for t in books if is_done(place.sweep_folder(runs), t)}
        yield {
            "sweep": str(number + 1),
            "storage": storage,
            "from step": str(moment),
            "killed": {"all": "both commands", "the command": "a command"}.get(struck, struck),
            "results then": str(len(before)),
            "done": f"{len(done)} of {place.trials}",
            "in the books": str(len(books)),
            "running": str(sum(trial.state is TrialState.RUNNING for trial in books)),
            "lost": str(len(set(range(place.trials)) - done)),
            "written again": str(sum(after.get(path) != before[path] for path in before)),
        }


def rate_rows(place: SweepPlace) -> Iterator[dict[str, str]]:
    """A row for one command, and one for two."""
    alone = 0.0
    for commands in (1, 2):
        runs = f"commands-{commands}"
        place.finish(runs, STORAGES[0], commands)
        trials = [
            json.loads(path.read_text()) for path in place.sweep_folder(runs).glob(f"*/{TRIAL}")
        ]
        begun, ended = (
            [datetime.fromisoformat(trial[key]) for trial in trials] for key in ("started", "ended")
        )
        rate = 3600 * len(trials) / (max(ended) - min(begun)).total_seconds()
        alone = alone or rate
        each = [(end - begin).total_seconds() for begin, end in zip(begun, ended, strict=True)]
        yield {
            "commands": str(commands),
            "trials": str(len(trials)),
            "seconds a trial": significant(sum(each) / len(each)),
            "trials per hour": significant(rate),
            "times one": ratio(rate, alone),
        }


def main(arguments: list[str] | None = None) -> None:
    """Kill, go on and count; then measure, and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_number("--trials", TRIALS, "of every sweep that is killed")
    options.whole_number("--steps", STEPS, "of its runs, a multiple of 6")
    options.whole_number("--seed", 1, "of the moments")
    options.whole_number("--long-trials", LONG_TRIALS, "of the sweep that is timed, an even number")
    options.whole_number("--long-steps", LONG_STEPS, "of its runs, a multiple of 6")
    options.add_argument("--only", choices=(KILLS, RATE), help="leave the other part out")
    given = options.parse_args(arguments)
    if given.steps % 6 or given.long_steps % 6:
        options.error("--steps, --long-steps: must be multiples of 6, the number of validations")
    if given.long_trials % 2:
        options.error("--long-trials: must be even, or one command waits for the other at the end")
    with TemporaryDirectory() as folder:
        if given.only != RATE:
            (killed := Path(folder) / KILLS).mkdir()
            place = SweepPlace(killed, given.trials, given.steps)
            print_table(
                f"Sweeps of {given.trials} trials, {given.steps} steps each, by two commands, of "
                "which something is killed",
                kill_rows(place, given.repetitions, given.seed),
            )
        if given.only != KILLS:
            (timed := Path(folder) / RATE).mkdir()
            place = SweepPlace(timed, given.long_trials, given.long_steps)
            print_table(
                f"Sweeps of {given.long_trials} trials, {given.long_steps} steps each, a trial at "
                "a time for each command",
                rate_rows(place),
            )


if __name__ == "__main__":
    main()
