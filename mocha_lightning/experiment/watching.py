"""Reading how far a run is, without any of the libraries that runs need."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.places import PROGRESS


@dataclass(frozen=True)
class Seen:
    """What ``progress.json`` says; a run that has none has not begun."""

    phase: str = ""
    step: int = 0
    steps: int = 0
    validation: dict[str, float] = field(default_factory=dict)
    updated: float = 0.0
    problem: str = ""
    """Why it failed."""


def read_progress(folder: Path) -> Seen:
    """How far a run is."""
    try:
        content: dict[str, Any] = json.loads((folder / PROGRESS).read_text())
        return Seen(**content)
    except (OSError, ValueError, TypeError):
        # Progress may be lost: it is not synced to the disk.
        return Seen()
