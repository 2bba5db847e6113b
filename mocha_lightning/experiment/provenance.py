"""Where a result comes from: code, machine, command, time."""

import platform
import resource
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from mocha_lightning.experiment.commit import git_state, versions


def provenance(command: str) -> dict[str, Any]:
    """What is known when a run starts; the code is that of the package's repository."""
    return {
        **git_state(),
        "versions": versions(),
        "hardware": hardware(),
        "threads": torch.get_num_threads(),
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


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
