"""Where a result comes from: code, machine, command, time."""

import platform
import resource
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from mocha_lightning.experiment.commit import git_state, versions
from mocha_lightning.experiment.sources import source_files
from mocha_lightning.experiment.spec import RunSpec


def provenance(command: str, beside: Iterable[Path] = ()) -> dict[str, Any]:
    """What is known when a run starts.

    Args:
        command: what was typed.
        beside: as :func:`git_state` takes it.
    """
    return {
        **git_state(beside=beside),
        "versions": versions(),
        "hardware": hardware(),
        "threads": torch.get_num_threads(),
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def taking_part(spec: RunSpec) -> set[Path]:
    """The files that a run is made of beside the package.

    They are the experiment's with its bases, and the modules of the user's own classes.
    """
    return {*source_files(spec.config).values(), *map(Path, spec.files)}


def hardware() -> str:
    """The processor's name, and the accelerator's where there is one."""
    names = [_processor()]
    if torch.cuda.is_available():
        names.append(torch.cuda.get_device_name())
    return ", ".join(names)


def peak_memory_mib() -> float:
    """The most memory that this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
