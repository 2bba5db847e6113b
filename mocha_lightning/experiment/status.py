"""How far an experiment is, from its files alone."""

import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.options import chosen
from mocha_lightning.experiment.file import read_file
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.pace import duration, seconds_per_step, side_by_side
from mocha_lightning.experiment.places import CONFIG, EXPERIMENT, LOG, RESULT, run_folder
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.progress import BEST, DIVERGED, Progress, read_progress, score
from mocha_lightning.experiment.result import ended
from mocha_lightning.experiment.shown import columns

STYLES = {
    "done": "green",
    DIVERGED: "red",
    "broken result": "bold red",
    "running": "cyan",
    "starting": "cyan",
    "failed": "bold red",
    "stopped": "yellow",
    "not begun": "dim",
}
LEFT, AT_WORK = ("stopped", "failed", "not begun"), ("running", "starting")
Runs = Mapping[tuple[str, int], tuple[str, Progress]]
"""By variant and seed: the state, and how far it is."""
START_SECONDS = 60
"""How long a process may take, at most, from being asked for to having a run's lock."""


def state_of(experiment: Path, variant: str, seed: int) -> tuple[str, Progress]:
    """Whether a run is done, diverged, at work, starting, failed, stopped or not begun.

    Or whether its result is there and broken, or another run's.
    """
    folder = run_folder(experiment, variant, seed)
    seen = read_progress(folder)
    try:
        end = ended(experiment, variant, seed)
    except UserError as error:
        problem = str(error).removeprefix(f"{folder / RESULT}: ")
        return "broken result", replace(seen, problem=problem)
    if end is not None:
        return ("done" if end == "completed" else DIVERGED), seen
    if is_busy(folder):
        return ("running" if seen.phase in ("training", "testing") else "starting"), seen
    if _asked_for(folder):
        return "starting", seen
    if not seen.phase:
        return "not begun", seen
    return ("failed" if seen.phase == "failed" else "stopped"), seen


def print_status(folder: Path, console: Console, file: Path | None = None) -> None:
    """Print where each run of an experiment stands.

    Args:
        folder: ``runs/<experiment>``.
        console: where to.
        file: the experiment's own file, which says what its runs will be if none has begun.

    Raises:
        UserError: there is no such experiment, or what is there cannot be read.
    """
    begun = (folder / EXPERIMENT).exists()
    content = _read(folder) if begun or file is None else read_file(file)[1].data
    metric = content["metric"]["name"].replace("test/", "val/", 1)
    runs = {
        (variant, seed): state_of(folder, variant, seed)
        for seed in content["seeds"]
        for variant in content["variants"]
    }
    states = {run: state for run, (state, _) in runs.items()}
    rest = _seconds_left(runs, content)
    console.print(_table(runs, rest, metric))
    counts = Counter(states.values())
    summary = ", ".join(f"{count} {state}" for state, count in counts.most_common())
    if rest:
        jobs = sum(state in AT_WORK for state in states.values()) or 1
        taken = duration(side_by_side(list(rest.values()), jobs))
        summary += f"; about {taken} left with {jobs} at a time"
    left = [variant for (variant, _), state in states.items() if state in LEFT]
    if not begun:
        command = shlex.join([program(), "run", str(file)])
        summary = f"no run begun yet: begin with `{command}`"
    # Whoever does some of the runs now may be about to do the others.
    elif left and not any(state in AT_WORK for state in states.values()):
        summary += f"; go on by `{_again(folder, left, states)}`"
    console.print(Text(f"{folder}: {counts.total()} runs: {summary}"), soft_wrap=True)


def _table(runs: Runs, rest: Mapping[tuple[str, int], float], metric: str) -> Table:
    """A row for each run; where one is at work, also when it will be done and when it last spoke.

    Args:
        runs: all.
        rest: seconds that those need of which it is known.
        metric: the validation score to show.
    """
    at_work = any(state in AT_WORK for state, _ in runs.values())
    times = ["left", "last sign"] if at_work else []
    table = columns(["run", "state"], ["steps", metric, BEST, *times])
    for (variant, seed), (state, seen) in runs.items():
        left = rest.get((variant, seed)) if state in AT_WORK else None
        cells = (
            Text(f"{variant} seed {seed}"),
            Text(_told(state, seen), STYLES[state]),
            Text(f"{seen.step}/{seen.steps}" if seen.phase else ""),
            Text(score(seen.validation, metric)),
            Text(score(seen.best, metric)),
            Text("" if left is None else duration(left)),
            Text(_ago(seen) if state == "running" else ""),
        )
        table.add_row(*cells[: len(table.columns)])
    return table


def _seconds_left(runs: Runs, content: Mapping[str, Any]) -> dict[tuple[str, int], float]:
    """What the runs that are not done still need, where it can be known.

    A step of a variant takes as long as its steps took so far, those of all runs of it; where it
    has none yet, as long as those of all variants.
    """
    found = {}
    pace_of_all = seconds_per_step(seen for _, seen in runs.values())
    for (variant, seed), (state, seen) in runs.items():
        siblings = (each for (name, _), (_, each) in runs.items() if name == variant)
        pace = seconds_per_step(siblings) or pace_of_all
        if pace is not None and state in (*LEFT, *AT_WORK):
            at = seen.step if state in AT_WORK else seen.saved
            steps = seen.steps or _steps(variant, content)
            found[variant, seed] = pace * max(0, steps - at)
    return found


def _steps(variant: str, content: Mapping[str, Any]) -> int:
    """Of a run that has not begun."""
    steps = content["variants"][variant].get(
        "trainer.max_steps", content["trainer"].get("max_steps")
    )
    return steps if isinstance(steps, int) else 0


def _again(folder: Path, left: Sequence[str], runs: Iterable[tuple[str, int]]) -> str:
    """What to run: the experiment as it was begun, whatever options made it so.

    Args:
        folder: ``runs/<experiment>``.
        left: the variants of the runs that are left.
        runs: variant and seed of all.
    """
    words = [program(), "run", str(folder / EXPERIMENT)]
    if folder.parent != Path("runs"):
        words += ["--runs", str(folder.parent)]
    commands = list(_commands(folder, runs))
    words += chosen(commands[-1]) if commands else []
    asked = _asked_variants(commands)
    # Where all that was asked for is done, what is left is the rest.
    if any(variant in asked for variant in left):
        words += ["--variants", *asked]
    return shlex.join(words)


def _commands(folder: Path, runs: Iterable[tuple[str, int]]) -> Iterator[list[str]]:
    """The commands that runs were begun by, the last one last."""
    files = [run_folder(folder, variant, seed) / CONFIG for variant, seed in runs]
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


def _told(state: str, seen: Progress) -> str:
    if state == "failed":
        return f"failed: {seen.problem}"
    if state == "broken result":
        return f"broken result: {RESULT} {seen.problem}"
    if state == "stopped":
        return f"stopped, goes on from step {seen.saved}"
    return state


def _ago(seen: Progress) -> str:
    return f"{max(0.0, time.time() - seen.updated):.0f} s ago" if seen.updated else ""
