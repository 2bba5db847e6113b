"""The command ``evaluate``."""

from pathlib import Path

import pytest
from commands import Command, Ended

from mocha_lightning.cli import main


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Evaluate in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def give(*words: str) -> Ended:
        with pytest.raises(SystemExit) as caught:
            main(["evaluate", *words])
        said = capsys.readouterr()
        return Ended(int(caught.value.code or 0), said.out, said.err)

    return give
