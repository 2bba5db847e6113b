"""Where a result comes from: code, machine, command, time."""

import hashlib
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from mocha_lightning.experiment.sources import sha256_of, source_files
from mocha_lightning.experiment.spec import RunSpec

PACKAGE = Path(__file__).parent.parent
"""The folder of this package's code."""
PLAIN_DIFF = (
    *("--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--no-renames", "--unified=3", "--diff-algorithm=myers"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
"""One way to write a diff, whatever git's configuration says."""
NEW = (
    *("ls-files", "-z", "--others", "--exclude-standard"),
    *("--exclude=!*/", "--exclude=.*/", "--exclude=__pycache__/", "--exclude=!*.py"),
)
"""Lists new files without those that git is told to ignore; of ignored folders all, and whatever
is Python, since that may be imported all the same."""
NONE: Mapping[Path, str] = MappingProxyType({})
PACKAGES = ("mocha-lightning", "torch", "pytorch-lightning", "numpy")


def provenance(command: str, beside: Mapping[Path, str] = NONE) -> dict[str, Any]:
    """What is known when a run starts.

    Args:
        command: what was typed.
        beside: as :func:`git_state` takes it.
    """
    return {
        **git_state(beside=beside),
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "hardware": hardware(),
        "threads": torch.get_num_threads(),
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def taking_part(spec: RunSpec) -> dict[Path, str]:
    """SHA-256 of the files that a run is made of beside the package.

    They are the experiment's with its bases, and the modules of the user's own classes.
    """
    modules = {file: sha256_of(file) for file in source_files(spec.config).values()}
    return {**modules, **{Path(path): sha256 for path, sha256 in spec.files.items()}}


def git_state(package: Path = PACKAGE, beside: Mapping[Path, str] = NONE) -> dict[str, Any]:
    """The code's commit, whether there are changes beside it, and the SHA-256 of these.

    Not dirty means that the commit has all that takes part. A change is that of any file of the
    repository, a new file among the package's code, and a file that takes part and that git does
    not track there, wherever it lies. Other new files are nobody's affair.

    All are None where the code lies in no repository (it was installed) or git is not there;
    ``diff_sha256`` is None where nothing is changed, too.

    Args:
        package: the folder of the code.
        beside: SHA-256 of the files that take part and are not the package's.
    """
    try:
        # What a user has set for the eye (colours, renames, other programs) must not matter.
        diff = _git(package, "diff", *PLAIN_DIFF, "HEAD")
        new = _git(package, *NEW)
        commit, top = _git(package, "rev-parse", "HEAD", "--show-toplevel").split(b"\n", 1)
        untracked = _untracked(Path(os.fsdecode(top.removesuffix(b"\n"))), beside)
        dirty = bool(diff or new or untracked)
        return {
            "commit": commit.decode(),
            "dirty": dirty,
            "diff_sha256": _sha256(diff, package, new, untracked) if dirty else None,
        }
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None, "diff_sha256": None}


def _untracked(repository: Path, beside: Mapping[Path, str]) -> list[str]:
    """SHA-256 of those files that git does not track there."""
    if not beside:
        return []
    tracked = set(_git(repository, "ls-files", "-z").split(b"\0"))
    names = {os.path.relpath(path.resolve(), repository.resolve()): path for path in beside}
    return sorted(beside[path] for name, path in names.items() if os.fsencode(name) not in tracked)


def _sha256(diff: bytes, package: Path, new: bytes, untracked: Sequence[str]) -> str:
    """Of the diff, each new file's path, length and content, and the others' SHA-256."""
    found = hashlib.sha256(diff)
    for name in sorted(filter(None, new.split(b"\0"))):
        path = package / os.fsdecode(name)
        content = path.read_bytes() if path.is_file() else b""  # a repository within this one
        found.update(b"%b\0%d\0%b" % (name, len(content), content))
    found.update("".join(untracked).encode())
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
