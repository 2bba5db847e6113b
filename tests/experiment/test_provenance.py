"""What a result says of the code that made it."""

import subprocess
from pathlib import Path

import pytest

from mocha_lightning.experiment.provenance import git_state


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package's code, in a repository with one commit."""
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "inner" / "code.py").touch()
    (tmp_path / "experiment.yaml").touch()
    (tmp_path / ".gitignore").write_text("*.pyc\n")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "all")
    return package


def test_code_as_committed_is_not_dirty(package: Path) -> None:
    state = git_state(package)
    assert len(state["commit"]) == 40
    assert state["dirty"] is False


@pytest.mark.parametrize(
    ("changed", "dirty"),
    [
        ("experiment.yaml", True),
        ("package/inner/code.py", True),
        ("package/inner/new.py", True),
        ("package/inner/code.pyc", False),
        # A user's own file is no change of the code.
        ("mine.yaml", False),
    ],
)
def test_changes_of_what_is_committed_and_new_code_are_dirty(
    package: Path, changed: str, dirty: bool
) -> None:
    (package.parent / changed).write_text("changed")
    assert git_state(package)["dirty"] is dirty


def test_a_change_that_is_staged_is_one_too(package: Path) -> None:
    (package / "inner" / "code.py").write_text("changed")
    git(package, "add", ".")
    assert git_state(package)["dirty"] is True


def test_code_in_no_repository_has_no_commit(tmp_path: Path) -> None:
    assert git_state(tmp_path) == {"commit": None, "dirty": None}
