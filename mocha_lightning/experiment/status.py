"""How far an experiment is, from its files alone."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import EXPERIMENT, RESULT, run_folder
from mocha_lightning.experiment.progress import Progress, read_progress

STYLES = {
    "done": "green",
    "running": "cyan",
    "failed": "bold red",
    "stopped": "yellow",
    "missing": "dim",
}


def state_of(folder: Path) -> tuple[str, Progress]:
    """Whether a run is done, running, failed, stopped on its way or not begun."""
    seen = read_progress(folder)
    if (folder / RESULT).exists():
        return "done", seen
    if is_busy(folder):
        return "running", seen
    if not seen.phase:
        return "missing", seen
    return ("failed" if seen.phase == "failed" else "stopped"), seen


def print_status(folder: Path, console: Console) -> None:
    """Print where each run of ``runs/<experiment>`` stands.

    Raises:
        UserError: the folder holds no experiment.
    """
    content = _read(folder / EXPERIMENT)
    metric = content["metric"]["name"].replace("test/", "val/", 1)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    for title in ("run", "state", "steps", metric, "last sign"):
        table.add_column(Text(title), justify="left" if title in ("run", "state") else "right")
    counts: Counter[str] = Counter()
    for seed in content["seeds"]:
        for variant in content["variants"]:
            state, seen = state_of(run_folder(folder, variant, seed))
            counts[state] += 1
            score = seen.validation.get(metric)
            table.add_row(
                Text(f"{variant} seed {seed}"),
                Text(f"{state}: {seen.problem}" if state == "failed" else state, STYLES[state]),
                Text(f"{seen.step}/{seen.steps}" if seen.phase else ""),
                Text("" if score is None else f"{score:.4g}"),
                Text(_ago(seen) if state == "running" else ""),
            )
    console.print(table)
    summary = ", ".join(f"{count} {state}" for state, count in counts.most_common())
    console.print(Text(f"{folder}: {counts.total()} runs: {summary}"), soft_wrap=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(
            f"{path}: there is no such file: give the name of an experiment that was begun with "
            "`mocha-lightning run`, or its folder"
        ) from error
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict) or not content.keys() >= {"metric", "seeds", "variants"}:
        raise UserError(
            f"{path}: is not what a run leaves there: run the experiment again to have it written"
        )
    return content


def _ago(seen: Progress) -> str:
    return f"{time.time() - seen.updated:.0f} s ago" if seen.updated else ""
