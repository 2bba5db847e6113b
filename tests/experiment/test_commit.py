"""What a result says of the code that made it."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from mocha_lightning.experiment.commit import git_state


def git(folder: Path, *arguments: str) -> bytes:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package's code, in a repository with one commit."""
    package = tmp_path / "package"
    for folder in ("inner", "build", "__pycache__"):
        (package / folder).mkdir(parents=True)
    (package / "inner" / "code.py").touch()
    (tmp_path / "experiment.yaml").touch()
    (tmp_path / ".gitignore").write_text("*.pyc\nscratch*\nbuild/\n")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "all")
    return package


def test_code_as_committed_is_not_dirty(package: Path) -> None:
    state = git_state(package)
    assert len(state["commit"]) == 40
    assert state["dirty"] is False
    assert state["diff_sha256"] is None


@pytest.mark.parametrize(
    ("changed", "dirty"),
    [
        ("experiment.yaml", True),
        ("package/inner/code.py", True),
        ("package/inner/new.py", True),
        ("package/inner/code.pyc", False),
        # What Python may import is code, whatever git is told to ignore.
        ("package/inner/scratch.py", True),
        ("package/build/code.py", True),
        ("package/__pycache__/code.txt", False),
        # What takes no part is nobody's affair.
        ("mine.yaml", False),
    ],
)
def test_changes_of_what_is_committed_and_new_code_are_dirty(
    package: Path, changed: str, dirty: bool
) -> None:
    (package.parent / changed).write_text("changed")
    state = git_state(package)
    assert state["dirty"] is dirty
    assert (state["diff_sha256"] is not None) is dirty


def test_a_change_that_is_staged_is_one_too(package: Path) -> None:
    (package / "inner" / "code.py").write_text("changed")
    git(package, "add", ".")
    assert git_state(package)["dirty"] is True


def test_the_hash_of_changes_is_that_of_the_diff(package: Path) -> None:
    (package / "inner" / "code.py").write_text("changed")
    diff = git(package, "diff", "--binary", "--full-index", "HEAD")
    assert git_state(package)["diff_sha256"] == hashlib.sha256(diff).hexdigest()
    # However a user likes to look at diffs.
    for key, value in (("color.ui", "always"), ("diff.noprefix", "true"), ("diff.context", "0")):
        git(package, "config", key, value)
    assert git_state(package)["diff_sha256"] == hashlib.sha256(diff).hexdigest()


def test_other_changes_have_another_hash_and_the_same_ones_the_same(package: Path) -> None:
    """Of what is committed and of new files, of what they are named and of what is in them."""
    seen = []
    for path, content in (
        ("code.py", b"changed"),
        ("code.py", b"otherwise"),
        ("new.py", b"new"),
        ("new.py", b"\xff\xfe\0"),
        ("a new one", b""),
        ("code.py", b"changed"),
    ):
        (package / "inner" / path).write_bytes(content)
        seen.append(git_state(package)["diff_sha256"])
    assert len(set(seen)) == len(seen)
    (package / "inner" / "new.py").unlink()
    (package / "inner" / "a new one").unlink()
    assert git_state(package)["diff_sha256"] == seen[0]


@pytest.mark.parametrize("place", ["mine.yaml", "package/../mine.yaml", "../mine.yaml"])
def test_a_file_that_takes_part_and_that_git_does_not_track_is_a_change(
    package: Path, place: str
) -> None:
    """Wherever it lies: no commit leads to it. What the others are of is the same code still."""
    state = git_state(package, [package.parent / place])
    assert (state["dirty"], state["diff_sha256"]) == (True, None)


def test_a_file_that_takes_part_and_that_git_tracks_is_in_the_commit(package: Path) -> None:
    assert git_state(package, [package.parent / "experiment.yaml"])["dirty"] is False
    # A link to it leads there too.
    (package.parent.parent / "link").symlink_to(package.parent / "experiment.yaml")
    assert git_state(package, [package.parent.parent / "link"])["dirty"] is False


def test_a_repository_within_the_code_is_no_obstacle(package: Path) -> None:
    (package / "other").mkdir()
    git(package / "other", "init")
    assert git_state(package)["dirty"] is True


def test_code_in_no_repository_has_no_commit(tmp_path: Path) -> None:
    assert git_state(tmp_path) == {"commit": None, "dirty": None, "diff_sha256": None}


def test_published_results_are_no_code(package: Path, tmp_path: Path) -> None:
    """Of several pages, those written later would seem to be made by changed code."""
    page = tmp_path / "reports/published/demo/table.md"
    page.parent.mkdir(parents=True)
    page.touch()
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "results")
    page.write_text("new")
    assert git_state(package)["dirty"] is False
    (tmp_path / "experiment.yaml").write_text("changed")
    assert git_state(package)["dirty"] is True
