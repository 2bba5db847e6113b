"""W&B's viewer for terminals over the runs of an experiment, each of which has a folder of its own.

``wandb leet`` looks at one folder, for the folders in it that are called as W&B calls them
(``run-<stamp>-<name>/run-<name>.wandb``). It is given such a folder of links.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mocha_lightning.errors import UserError
from mocha_lightning.tracking.uploading import moment_of, newest_parts, record_of


def view(runs: Path) -> int:
    """Show the newest part of each run below a folder until the user has seen enough.

    Returns:
        The viewer's exit code.

    Raises:
        UserError: there is no such folder, nothing in it, or no terminal.
    """
    parts = newest_parts(runs)
    if not parts:
        raise UserError(f"{runs}: W&B keeps nothing there: its runs had `--wandb disabled`")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("the viewer needs a terminal: run this in one")
    # Else the viewer sends reports on itself.
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    with TemporaryDirectory() as place:
        link(parts, runs, Path(place))
        command = [sys.executable, "-m", "wandb", "leet", place]
        return subprocess.run(command, check=False).returncode


def link(parts: Sequence[Path], runs: Path, place: Path) -> None:
    """Make a folder for each part, called by its run's place, that leads to its files.

    Args:
        parts: as ``<runs>/<variant>/seed-<n>/wandb/<part>``.
        runs: the folder below which they are.
        place: where to make them.
    """
    for part in parts:
        name = ",".join(part.relative_to(runs).parts[:-2]) or runs.resolve().name
        folder = place / f"run-{moment_of(part)}-{name}"
        folder.mkdir()
        (folder / f"run-{name}.wandb").symlink_to(record_of(part).resolve())
        # Pictures are there.
        (folder / "files").symlink_to((part / "files").resolve())
