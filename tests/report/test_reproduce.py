"""The line that a page ends with."""

from importlib.metadata import version
from typing import Any

import pytest

from mocha_lightning.report import reproduce as module
from mocha_lightning.report.reproduce import reproduce

COMMIT = "abcdef0123456789abcdef0123456789abcdef01"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"commit": COMMIT, "dirty": False}, "commit abcdef012345 without uncommitted changes"),
        ({"commit": COMMIT, "dirty": True}, "commit abcdef012345 with uncommitted changes"),
        ({"commit": None, "dirty": None}, "commit unknown"),
    ],
)
def test_it_has_the_command_the_commit_and_versions(
    state: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "git_state", lambda: state)
    line = reproduce("mocha-lightning aa 'my aa'")
    assert line.startswith(f"Reproduce: mocha-lightning aa 'my aa' ({said}; python 3.")
    assert f", torch {version('torch')}, " in line
    assert "\n" not in line
