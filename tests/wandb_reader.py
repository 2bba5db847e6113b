"""Reading what W&B wrote, by its own command."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def wandb_runs(folder: Path) -> list[dict[str, Any]]:
    """The final state of each W&B run below a folder, in the order in which they began."""
    return [
        json.loads(_inspect(each, "--summary"))
        for each in sorted(folder.rglob("offline-run-*"))
        if each.is_dir()
    ]


def wandb_records(folder: Path) -> list[dict[str, Any]]:
    """Every record of the newest W&B run of a run's folder."""
    newest = folder / "wandb" / "latest-run"
    return [json.loads(line) for line in _inspect(newest).splitlines()]


def _inspect(folder: Path, *options: str) -> str:
    wandb = Path(sys.executable).with_name("wandb")
    command = [str(wandb), "leet", "inspect", *options, "--json", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
