"""What of W&B's offline files is to be uploaded, and uploading it with W&B's own command."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.tracking.login import is_logged_in

_PART = re.compile(r"(?:offline-)?run-(\d{8}_\d{6})-(.+)")
"""A folder with W&B's record of a run: its moment and the run's id."""


def moment_of(part: Path) -> str:
    """When W&B began it, as it writes that."""
    found = _PART.fullmatch(part.name)
    assert found is not None
    return found[1]


def record_of(part: Path) -> Path:
    """Its record, which is called by the run; other files beside it are nobody's."""
    found = _PART.fullmatch(part.name)
    assert found is not None
    return part / f"run-{found[2]}.wandb"


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
        parts = [
            part
            for part in folder.glob("*run-*")
            if _PART.fullmatch(part.name) and _is_whole(record_of(part))
        ]
        if parts:
            newest[folder] = max(parts, key=lambda part: part.name.removeprefix("offline-"))
    return [each for _, each in sorted(newest.items())]


def _is_whole(record: Path) -> bool:
    return record.is_file() and record.stat().st_size > 0


def offline_records(runs: Path) -> list[Path]:
    """Those of the newest parts that are offline.

    Raises:
        UserError: there is no such folder.
    """
    return [each for each in newest_parts(runs) if each.name.startswith("offline-")]


def upload(records: Sequence[Path]) -> bool:
    """Upload them; W&B leaves out what it has already. False where it could not all.

    Raises:
        UserError: nobody is logged in, or W&B cannot begin.
    """
    if not is_logged_in():
        raise UserError(
            "nobody is logged in to Weights & Biases: run `wandb login` or set WANDB_API_KEY"
        )
    import wandb

    # Where nobody answers, W&B is silent for minutes.
    print(f"runs to upload: {len(records)}, to {wandb.setup().settings.base_url}", flush=True)
    command = [sys.executable, "-m", "wandb", "sync", *map(str, records)]
    return subprocess.run(command, check=False).returncode == 0
