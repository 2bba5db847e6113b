"""The code that makes something: its commit, what is changed beside that, and its versions.

Nothing here imports torch, so that a page which needs none does not wait for it.
"""

import hashlib
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent
"""The folder of this package's code."""
RESULTS = "reports/published"
"""What commands write there is tracked and no code: one after another, they would seem changed."""
PLAIN_DIFF = (
    *("--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--no-renames", "--unified=3", "--diff-algorithm=myers"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
"""One way to write a diff, whatever git's configuration says."""
PACKAGES = ("mocha-lightning", "torch", "pytorch-lightning", "numpy")


def versions() -> dict[str, str]:
    """Python's, and those of the packages that numbers depend on."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


def git_state(package: Path = PACKAGE) -> dict[str, Any]:
    """The code's commit, whether there are changes beside it, and the SHA-256 of these.

    A new file counts where it lies among the package's code; elsewhere it is a user's own, such
    as an experiment. Published results do not count. All are None where the code lies in no
    repository (it was installed) or git is not there; ``diff_sha256`` is None where nothing is
    changed, too.
    """
    try:
        # What a user has set for the eye (colours, renames, other programs) must not matter.
        code = (":/", f":(top,exclude){RESULTS}")
        diff = _git(package, "diff", *PLAIN_DIFF, "HEAD", "--", *code)
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


def _git(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, check=True, timeout=30
    )
    return done.stdout
