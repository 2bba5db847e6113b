"""Where a result comes from: code, machine, command, time."""

import hashlib
import os
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
PLAIN_DIFF = (
    *("--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--no-renames", "--unified=3", "--diff-algorithm=myers"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
"""One way to write a diff, whatever git's configuration says."""
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
    """The code's commit, whether there are changes beside it, and the SHA-256 of these.

    A new file counts where it lies among the package's code; elsewhere it is a user's own, such
    as an experiment. All are None where the code lies in no repository (it was installed) or git
    is not there; ``diff_sha256`` is None where nothing is changed, too.
    """
    try:
        # What a user has set for the eye (colours, renames, other programs) must not matter.
        diff = _git(package, "diff", *PLAIN_DIFF, "HEAD")
        new = _git(package, "ls-files", "-z", "--others", "--exclude-standard")
        dirty = bool(diff or new)
        return {
            "commit": _git(package, "rev-parse", "HEAD").decode().strip(),
            "dirty": dirty,
            "diff_sha256": _sha256(diff, package, new) if dirty else None,
        }
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None, "diff_sha256": None}


def _sha256(diff: bytes, package: Path, new: bytes) -> str:
    """Of the diff, then of each new file's path, length and content."""
    found = hashlib.sha256(diff)
    for name in sorted(filter(None, new.split(b"\0"))):
        path = package / os.fsdecode(name)
        content = path.read_bytes() if path.is_file() else b""  # a repository within this one
        found.update(b"%b\0%d\0%b" % (name, len(content), content))
    return found.hexdigest()


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


def _git(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, check=True, timeout=30
    )
    return done.stdout
