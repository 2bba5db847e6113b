"""The code that makes something: its commit, what is changed beside that, and its versions.

Nothing here imports torch, so that a page which needs none does not wait for it.
"""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent
"""The folder of this package's code."""
SHIPPED = "shipped.json"
"""In a copy of the package that was sent to another machine: what this module said at home."""
RESULTS = "reports/published"
"""What commands write there is tracked and no code: one after another, they would seem changed."""
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
PACKAGES = ("mocha-lightning", "torch", "pytorch-lightning", "numpy")


def versions() -> dict[str, str]:
    """Python's, and those of the packages that numbers depend on."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


def git_state(package: Path = PACKAGE, beside: Iterable[Path] = ()) -> dict[str, Any]:
    """The code's commit, whether there are changes beside it, and the SHA-256 of these.

    Not dirty means that the commit has all that takes part. A change is that of any file of the
    repository save published results, a new file among the package's code, and a file that takes
    part and that git does not track there, wherever it lies. Other new files are nobody's affair.

    Of a copy that was sent to another machine they are those of the original.

    All are None where the code lies in no repository (it was installed) or git is not there;
    ``diff_sha256`` is None where nothing but files that git does not track takes part, too: those
    are recorded by themselves, and one variant may have others than the next.

    Args:
        package: the folder of the code.
        beside: the files that take part and are not the package's.
    """
    with suppress(FileNotFoundError):
        shipped: dict[str, Any] = json.loads((package / SHIPPED).read_text())
        return shipped
    try:
        # What a user has set for the eye (colours, renames, other programs) must not matter.
        code = (":/", f":(top,exclude){RESULTS}")
        diff = _git(package, "diff", *PLAIN_DIFF, "HEAD", "--", *code)
        new = _git(package, *NEW)
        commit, top = _git(package, "rev-parse", "HEAD", "--show-toplevel").split(b"\n", 1)
        untracked = _untracked(Path(os.fsdecode(top.removesuffix(b"\n"))), beside)
        return {
            "commit": commit.decode(),
            "dirty": bool(diff or new or untracked),
            "diff_sha256": _sha256(diff, package, new) if diff or new else None,
        }
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None, "diff_sha256": None}


def _untracked(repository: Path, beside: Iterable[Path]) -> bool:
    """Whether git does not track all of these files there."""
    tracked = set(_git(repository, "ls-files", "-z").split(b"\0"))
    names = {os.path.relpath(path.resolve(), repository.resolve()) for path in beside}
    return not tracked.issuperset(map(os.fsencode, names))


def _sha256(diff: bytes, package: Path, new: bytes) -> str:
    """Of the diff, and each new file's path, length and content."""
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
