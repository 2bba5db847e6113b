"""What the tests of the command share."""

from pathlib import Path

import pytest
from commands import Command, Ended, give

from .commanding import TEXTS
from .runs import run_of


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Summarise with a run, in a folder that has two documents."""
    monkeypatch.chdir(tmp_path)
    run_of(tmp_path / "run", "MoChA", seed=1, unidirectional=True)
    for name, text in TEXTS.items():
        Path(name).write_text(text)

    def told(*words: str, run: str = "run") -> Ended:
        return give(capsys, "summarize", *words, "--checkpoint", run)

    return told
