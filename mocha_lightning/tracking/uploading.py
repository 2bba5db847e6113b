"""What of W&B's offline files is to be uploaded, and uploading it with W&B's own command."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mocha_lightning.errors import UserError


def newest_parts(runs: Path) -> list[Path]:
    """The newest part of each run below a folder: it holds the run's whole history.

    A part that a killed process has left without a record does not count, as ``wandb sync`` refuses
    all where it is given one such.

    Raises:
        UserError: there is no such folder.
    """
    if not runs.is_dir():
        raise UserError(f"{runs}: there is no such folder: name that of the runs")
    newest = {}
    for folder in runs.rglob("wandb"):
        # run-<stamp>-<id>/run-<id>.wandb, with offline- before it where nobody was asked.
        parts = [each.parent for each in folder.glob("*run-*/run-*.wandb") if each.stat().st_size]
        if parts:
            newest[folder] = max(parts, key=lambda part: part.name.removeprefix("offline-"))
    return [each for _, each in sorted(newest.items())]


def offline_records(runs: Path) -> list[Path]:
    """Those of the newest parts that are offline.

    Raises:
        UserError: there is no such folder.
    """
    return [each for each in newest_parts(runs) if each.name.startswith("offline-")]


def upload(records: Sequence[Path]) -> bool:
    """Upload them; W&B leaves out what it has already. False where it could not all.

    Raises:
        UserError: nobody is logged in.
    """
    import wandb

    if not wandb.login(prompt=False, verify=False):
        raise UserError(
            "nobody is logged in to Weights & Biases: run `wandb login` or set WANDB_API_KEY"
        )
    command = [sys.executable, "-m", "wandb", "sync", *map(str, records)]
    return subprocess.run(command, check=False).returncode == 0
