"""Where a result comes from: code, machine, command, time."""

import platform
import resource
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

PACKAGE = Path(__file__).parent.parent
"""The folder of this package's code."""
PACKAGES = ("mocha-lightning", "torch", "pytorch-lightning", "numpy")


def provenance(command: str) -> dict[str, Any]:
    """What is known when a run starts; the code is that of the current folder's repository."""
    return {
        **git_state(),
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "hardware": hardware(),
        "threads": torch.get_num_threads(),
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def git_state(package: Path = PACKAGE) -> dict[str, Any]:
    """The code's commit, and whether there are changes beside it.

    A new file counts where it lies among the package's code; elsewhere it is a user's own, such
    as an experiment. Both are None where the code lies in no repository (it was installed) or git
    is not there.
    """
    try:
        return {
            "commit": _git(package, "rev-parse", "HEAD"),
            "dirty": bool(
                _git(package, "status", "--porcelain", "--untracked-files=no")
                or _git(package, "ls-files", "--others", "--exclude-standard")
            ),
        }
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None}


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


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return done.stdout.strip()
