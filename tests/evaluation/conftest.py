"""The command ``evaluate``."""

from functools import partial
from pathlib import Path

import pytest
from commands import Command, give


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Evaluate in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    return partial(give, capsys, "evaluate")
