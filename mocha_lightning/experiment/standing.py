"""How far an experiment is, from its files alone."""

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.options import chosen
from mocha_lightning.experiment.file import read_file
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.pace import seconds_per_step, side_by_side
from mocha_lightning.experiment.places import CONFIG, EXPERIMENT, LOG, RESULT, run_folder
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.progress import DIVERGED, Progress, read_progress
from mocha_lightning.experiment.result import ended
from mocha_lightning.experiment.schema import COMPLETED

LEFT, AT_WORK = ("stopped", "failed", "not begun"), ("running", "starting")
START_SECONDS = 60
"""How long a process may take, at most, from being asked for to having a run's lock."""


@dataclass(frozen=True)
class RunStanding:
    """Where a run stands.

    Attributes:
        state: done, diverged, running, starting, failed, stopped, not begun; or broken result,
            where its result is there and broken, or another run's.
        progress: how far it is.
        seconds_left: that it still needs; None where nobody can know.
    """

    variant: str
    seed: int
    state: str
    progress: Progress
    seconds_left: float | None = None


@dataclass(frozen=True)
class Standing:
    """Where an experiment stands.

    Attributes:
        folder: ``runs/<experiment>``.
        metric: the validation score.
        runs: all.
        seconds_left: until the last of them is over; None where nobody can know.
        begun: whether any command has begun it.
        go_on: the command that does what is left; None where nothing is, or others are at it.
    """

    folder: str
    metric: str
    runs: Sequence[RunStanding]
    seconds_left: float | None
    begun: bool
    go_on: str | None

    @property
    def at_work(self) -> int:
        """Runs that are."""
        return sum(run.state in AT_WORK for run in self.runs)


def state_of(experiment: Path, variant: str, seed: int) -> tuple[str, Progress]:
    """A run's state, as :class:`RunStanding` has it, and how far it is."""
    folder = run_folder(experiment, variant, seed)
    seen = read_progress(folder)
    try:
        end = ended(experiment, variant, seed)
    except UserError as error:
        problem = str(error).removeprefix(f"{folder / RESULT}: ")
        return "broken result", replace(seen, problem=problem)
    if end is not None:
        return ("done" if end == COMPLETED else DIVERGED), seen
    if is_busy(folder):
        return ("running" if seen.phase in ("training", "testing") else "starting"), seen
    if _asked_for(folder):
        return "starting", seen
    if not seen.phase:
        return "not begun", seen
    return ("failed" if seen.phase == "failed" else "stopped"), seen


def standing(folder: Path, file: Path | None = None) -> Standing:
    """Where each run of an experiment stands.

    Args:
        folder: ``runs/<experiment>``.
        file: the experiment's own file, which says what its runs will be if none has begun.

    Raises:
        UserError: there is no such experiment, or what is there cannot be read.
    """
    begun = (folder / EXPERIMENT).exists()
    content = _read(folder) if begun or file is None else read_file(file)[1].data
    runs = [
        RunStanding(variant, seed, *state_of(folder, variant, seed))
        for seed in content["seeds"]
        for variant in content["variants"]
    ]
    runs = list(_with_seconds(runs, content))
    rest = [run.seconds_left for run in runs if run.seconds_left is not None]
    at_work = sum(run.state in AT_WORK for run in runs)
    go_on = None if begun else shlex.join([program(), "run", str(file)])
    # Whoever does some of the runs now may be about to do the others.
    if begun and not at_work and any(run.state in LEFT for run in runs):
        go_on = _again(folder, runs)
    metric = content["metric"]["name"].replace("test/", "val/", 1)
    seconds = side_by_side(rest, at_work or 1) if rest else None
    return Standing(str(folder), metric, runs, seconds, begun, go_on)


def _with_seconds(runs: Sequence[RunStanding], content: Mapping[str, Any]) -> Iterator[RunStanding]:
    """Each run with what it still needs, where it can be known.

    A step of a variant takes as long as its steps took so far, those of all runs of it; where it
    has none yet, as long as those of all variants.
    """
    pace_of_all = seconds_per_step(run.progress for run in runs)
    for run in runs:
        siblings = (each.progress for each in runs if each.variant == run.variant)
        pace = seconds_per_step(siblings) or pace_of_all
        if pace is not None and run.state in (*LEFT, *AT_WORK):
            seen = run.progress
            at = seen.step if run.state in AT_WORK else seen.saved
            steps = seen.steps or _steps(run.variant, content)
            yield replace(run, seconds_left=pace * max(0, steps - at))
        else:
            yield run


def _steps(variant: str, content: Mapping[str, Any]) -> int:
    """Of a run that has not begun."""
    steps = content["variants"][variant].get(
        "trainer.max_steps", content["trainer"].get("max_steps")
    )
    return steps if isinstance(steps, int) else 0


def _again(folder: Path, runs: Sequence[RunStanding]) -> str:
    """What to run: the one command there was, or the experiment as all of them made it."""
    commands = list(_commands(folder, runs))
    asked = _asked_variants(commands)
    # Where all that was asked for is done, what is left is the rest.
    is_asked = any(run.variant in asked for run in runs if run.state in LEFT)
    if len({*map(tuple, commands)}) == 1 and (is_asked or not asked):
        _, *given = commands[0]
        return shlex.join([program(), *given])
    words = [program(), "run", str(folder / EXPERIMENT)]
    if folder.parent != Path("runs"):
        words += ["--runs", str(folder.parent)]
    words += chosen(commands[-1]) if commands else []
    if is_asked:
        words += ["--variants", *asked]
    return shlex.join(words)


def _commands(folder: Path, runs: Iterable[RunStanding]) -> Iterator[list[str]]:
    """The commands that runs were begun by, the last one last."""
    files = [run_folder(folder, run.variant, run.seed) / CONFIG for run in runs]
    for file in sorted(files, key=_written):
        try:
            yield shlex.split(yaml.safe_load(file.read_bytes())["command"])
        except (OSError, yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError):
            continue


def _asked_variants(commands: Iterable[Sequence[str]]) -> list[str]:
    """The variants that all commands so far were limited to; none where one of them was not."""
    asked: dict[str, None] = {}
    for words in commands:
        if "--variants" not in words:
            return []
        given = words[words.index("--variants") + 1 :]
        asked |= dict.fromkeys(takewhile(lambda word: not word.startswith("-"), given))
    return list(asked)


def _asked_for(folder: Path) -> bool:
    """Whether a process for a run was asked for just now and has not said its first word.

    The runner writes the run's configuration; the process, which may first have to wait for its
    libraries, begins with a line in the log.
    """
    asked, begun = _written(folder / CONFIG), _written(folder / LOG)
    # A clock that was set back makes files of the future.
    return asked > begun and abs(time.time() - asked) < START_SECONDS


def _written(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


def _read(folder: Path) -> dict[str, Any]:
    path = folder / EXPERIMENT
    if not path.exists():
        raise UserError(
            f"{folder}: no experiment was begun there: begin it with `{program()} run FILE`, "
            "or give the file, name or folder of another"
        )
    try:
        return read_file(path)[1].data
    except UserError as error:
        raise UserError(
            f"{error} (or remove {path} and run the experiment again to have it written)"
        ) from error
