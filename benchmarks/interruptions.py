"""Whether a run that is killed loses anything: a small experiment, killed by SIGKILL many times.

Two variants with two seeds each are trained undisturbed, one run after the other. Then, as often as
asked, they are trained two at a time, and once they have made a number of steps that is drawn by
chance, and another part of a second has passed, the command, one of its runs, or all of its
processes are killed. What is left is gone on with: by the command itself where one of its runs was
killed, else by the same command, or by two of it at once that share the folder. Every result must
then be there and have the bits of the undisturbed one (scores, curves, predictions, weights), and
none that was there when the blow fell may have been written again. It takes a minute or so a blow.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from harness import Options, print_table

from mocha_lightning.experiment.places import CURVES, PROGRESS, RESULT
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.rerun import compare_runs

REPETITIONS = 20
STEPS = 60
PATIENCE = 600
"""Seconds that any command may take."""
UNDISTURBED = "undisturbed"
VICTIMS = ("the command", "a run", "all")


def experiment(steps: int) -> dict[str, Any]:
    """Soft attention and MoChA on documents made by rule, as small as can be."""
    attention = "mocha_lightning.attention"
    sizes = dict.fromkeys(("embedding_dim", "encoder_dim", "output_embedding_dim"), 48)
    return {
        "name": "small",
        "task": {
            "class_path": "mocha_lightning.summarizer.Summarizer",
            "init_args": {
                **sizes,
                **{"decoder_dim": 96, "energy_dim": 48, "beam_width": 1, "max_outputs": 16},
            },
        },
        "data": {
            "class_path": "mocha_lightning.data.KeyFacts",
            "init_args": {
                **{"facts": 2, "marked": 1, "swap_window": 4, "batch_size": 16},
                **{"train_documents": 200, "validation_documents": 20, "test_documents": 20},
            },
        },
        "trainer": {"max_steps": steps, "val_check_interval": steps // 6},
        "seeds": [0, 1],
        "metric": {"name": "test/exact_match", "mode": "max"},
        "variants": {
            "soft": {"task.attention": {"class_path": f"{attention}.SoftAttention"}},
            "mocha": {
                "task.attention": {
                    "class_path": f"{attention}.MoChA",
                    "init_args": {"chunk_size": 2, "noise_std": 1},
                }
            },
        },
    }


class Place:
    """A folder with the experiment's file, in which commands are given."""

    def __init__(self, folder: Path, steps: int) -> None:
        self.folder = folder
        self.file = folder / "small.yaml"
        self.file.write_text(yaml.safe_dump(experiment(steps), sort_keys=False))

    def begin(self, runs: str, jobs: int) -> "subprocess.Popen[bytes]":
        """Give the command that does the experiment's runs."""
        return self.give(
            "run", self.file, "--runs", runs, "--jobs", jobs, "--reports", f"{runs}-reports"
        )

    def give(self, *words: object) -> "subprocess.Popen[bytes]":
        """Give a command; all that it starts is of one group."""
        with (self.folder / "said.txt").open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "mocha_lightning", *map(str, words), "--wandb", "disabled"],
                cwd=self.folder,
                stdout=said,
                stderr=said,
                process_group=0,
            )

    def finish(self, *commands: "subprocess.Popen[bytes]") -> None:
        """Wait for commands, all of which must end well."""
        for command in commands:
            if code := command.wait(PATIENCE):
                said = (self.folder / "said.txt").read_text().splitlines()[-5:]
                raise SystemExit(f"a command ended with exit code {code}: {' / '.join(said)}")

    def wait_for(self, runs: str, steps: int) -> None:
        """Wait until runs have begun and made so many steps."""
        while not any((self.folder / runs).glob(f"small/*/*/{PROGRESS}")):
            time.sleep(0.02)
        while self.steps(runs) < steps:
            time.sleep(0.02)

    def results(self, runs: str) -> dict[Path, int]:
        """The results that there are, and when each was written."""
        paths = (self.folder / runs).glob(f"small/*/*/{RESULT}")
        return {path: path.stat().st_mtime_ns for path in paths}

    def steps(self, runs: str) -> int:
        """Steps that runs say to have made."""
        folders = (self.folder / runs).glob("small/*/*")
        return sum(read_progress(folder).step for folder in folders)


def children(pid: int) -> list[int]:
    """Processes that a process has begun (Linux)."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").glob("*/children")
        for child in task.read_text().split()
    ]


def strike(command: "subprocess.Popen[bytes]", victim: str, chance: random.Random) -> str:
    """Kill it, or what of it is there to be killed; say what that was."""
    # A run is a process that the server of processes, itself one of the command's, has begun.
    runs = [run for child in children(command.pid) for run in children(child)]
    if victim == "a run" and runs:
        os.kill(chance.choice(runs), signal.SIGKILL)
        return victim
    if victim == "all":
        os.killpg(command.pid, signal.SIGKILL)
    else:
        command.kill()
    command.wait()
    return "all" if victim == "all" else "the command"


def differences(first: Path, second: Path) -> list[str]:
    """What is not the same in two runs."""
    curves = [(folder / CURVES).read_bytes() for folder in (first, second)]
    return [*compare_runs(first, second), *([CURVES] if curves[0] != curves[1] else [])]


def rows(place: Place, repetitions: int, seed: int) -> Iterator[dict[str, str]]:
    """A row for each blow."""
    place.finish(place.begin(UNDISTURBED, 1))
    whole = sorted(place.results(UNDISTURBED))
    chance = random.Random(seed)
    for number in range(repetitions):
        runs = f"blow-{number}"
        moment, more = chance.randrange(place.steps(UNDISTURBED)), chance.random()
        command = place.begin(runs, 2)
        place.wait_for(runs, moment)
        time.sleep(more)
        struck = strike(command, VICTIMS[number % len(VICTIMS)], chance)
        before, steps = place.results(runs), place.steps(runs)
        if struck == "a run":
            by = "itself"
            place.finish(command)
        else:
            commands = 1 + number % 2
            by = ("one command", "two commands")[commands - 1]
            place.finish(*(place.begin(runs, 2) for _ in range(commands)))
        after = place.results(runs)
        again = [
            place.folder / runs / path.relative_to(place.folder / UNDISTURBED) for path in whole
        ]
        found = [
            differences(path.parent, other.parent) for path, other in zip(whole, again, strict=True)
        ]
        yield {
            "blow": str(number + 1),
            "from step": str(moment),
            "killed": struck,
            "results then": str(len(before)),
            "steps then": str(steps),
            "gone on by": by,
            "results": f"{len(after)} of {len(whole)}",
            "written again": str(sum(after[path] != before[path] for path in before)),
            "differing runs": str(sum(map(bool, found))),
        }


def main(arguments: list[str] | None = None) -> None:
    """Kill, go on, compare and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_number("--steps", STEPS, "of every run, a multiple of 6")
    options.whole_number("--seed", 1, "of the moments")
    given = options.parse_args(arguments)
    if given.steps % 6:
        options.error("--steps: must be a multiple of 6, the number of validations")
    with TemporaryDirectory() as folder:
        place = Place(Path(folder), given.steps)
        print_table(
            f"2 variants with 2 seeds, {given.steps} steps each, killed and gone on with",
            rows(place, given.repetitions, given.seed),
        )


if __name__ == "__main__":
    main()
