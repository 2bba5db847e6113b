"""How far a run is: ``progress.json``, read and written without any library that runs need."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from mocha_lightning.experiment.places import PROGRESS

Phase = Literal["starting", "training", "testing", "done", "diverged", "pruned", "failed"]
"""What a run says that it is at. A file may say something else: what reads it is lenient."""
DIVERGED: Final = "diverged"
"""The phase of a run that is complete because its loss was no number."""
GIVEN_UP_PHASE: Final = "pruned"
"""The phase of a run that its sweep has given up."""
BEST = "best so far"
"""What people read above the best score."""


# A time left is computed from these.
_Steps = Annotated[int, Field(ge=0, le=2**63 - 1)]
_Seconds = Annotated[float, Field(ge=0, le=2**63, allow_inf_nan=False)]


@dataclass(frozen=True)
class Progress:
    """What ``progress.json`` says; a run that has none has not begun."""

    phase: str = ""
    step: _Steps = 0
    steps: _Steps = 0
    validation: dict[str, float] = field(default_factory=dict)
    """The scores of the last validation."""
    best: dict[str, float] = field(default_factory=dict)
    """Those of the best one so far, by the experiment's metric."""
    saved: _Steps = 0
    """The step of the last checkpoint, from which it would go on."""
    updated: _Seconds = 0.0
    problem: str = ""
    """Why it failed."""
    seconds: _Seconds = 0.0
    """What its steps took so far; 0 where nobody counted."""


_PROGRESS = TypeAdapter(Progress)


def score(scores: Mapping[str, float], name: str) -> str:
    """A score as people read it; nothing where there is none yet."""
    value = scores.get(name)
    return "" if value is None else f"{value:.4g}"


def write_progress(folder: Path, progress: Progress) -> None:
    """Replace the file; it may be lost in a crash of the machine, but is never half there."""
    unfinished = folder / f".{PROGRESS}"
    unfinished.write_text(json.dumps({**asdict(progress), "updated": time.time()}))
    unfinished.replace(folder / PROGRESS)


def read_progress(folder: Path) -> Progress:
    """How far a run is; a file that says nothing of use is taken for none."""
    try:
        return _PROGRESS.validate_json((folder / PROGRESS).read_bytes(), strict=True)
    except (OSError, ValidationError):
        return Progress()
