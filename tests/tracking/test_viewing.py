"""W&B's viewer for terminals over an experiment's runs."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wandb_talk import talk

from mocha_lightning.cli import main
from mocha_lightning.errors import UserError
from mocha_lightning.tracking.uploading import newest_parts
from mocha_lightning.tracking.viewing import link


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """An experiment with a run that W&B has kept offline."""
    folder = tmp_path / "demo/soft/seed-0"
    folder.parent.mkdir(parents=True)
    talk(folder, mode="offline", steps=3)
    return tmp_path / "demo"


def test_each_run_is_a_folder_called_as_wandb_calls_them_that_leads_to_its_record(
    runs: Path, tmp_path: Path
) -> None:
    (part,) = newest_parts(runs)
    place = tmp_path / "place"
    place.mkdir()
    link([part], runs, place)
    (folder,) = place.iterdir()
    stamp = part.name.split("-")[2]
    assert folder.name == f"run-{stamp}-soft,seed-0"
    record = folder / "run-soft,seed-0.wandb"
    assert record.read_bytes() == next(part.glob("*.wandb")).read_bytes()
    assert (folder / "files").samefile(part / "files")


def test_a_runs_own_folder_is_seen_too(runs: Path, tmp_path: Path) -> None:
    link(newest_parts(runs / "soft/seed-0"), runs / "soft/seed-0", tmp_path)
    assert list(tmp_path.glob("run-*-seed-0/run-seed-0.wandb"))


def test_a_file_beside_the_record_is_not_taken_for_it(runs: Path, tmp_path: Path) -> None:
    (part,) = newest_parts(runs)
    (record,) = part.glob("*.wandb")
    (part / "run-another.wandb").write_bytes(b"another")
    place = tmp_path / "place"
    place.mkdir()
    link([part], runs, place)
    assert next(place.glob("*/run-*.wandb")).samefile(record)


def test_the_viewer_shows_the_runs_without_an_account(runs: Path, tmp_path: Path) -> None:
    keyboard, terminal = pty.openpty()
    viewer = subprocess.Popen(
        [sys.executable, "-m", "mocha_lightning", "view", str(runs)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        env={
            **{name: value for name, value in os.environ.items() if "WANDB" not in name},
            **{"HOME": str(tmp_path), "TERM": "xterm", "COLUMNS": "120", "LINES": "40"},
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    try:
        shown = b""
        deadline = time.monotonic() + 60
        while b"soft,seed-0" not in shown:
            assert time.monotonic() < deadline, shown
            shown += os.read(keyboard, 65536)
        os.write(keyboard, b"q")
        os.close(terminal)
        while viewer.poll() is None and time.monotonic() < deadline:
            try:
                os.read(keyboard, 65536)
            except OSError:
                break
        assert viewer.wait(30) == 0
    finally:
        viewer.kill()
        viewer.wait()
        os.close(keyboard)


def test_runs_that_wandb_was_told_nothing_of_have_nothing_to_view(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "soft/seed-0").mkdir(parents=True)
    with pytest.raises(SystemExit, match="2"):
        main(["view", str(tmp_path)])
    assert capsys.readouterr().err == (
        f"error: {tmp_path}: W&B keeps nothing there: its runs had `--wandb disabled`\n"
    )


def test_where_there_is_no_terminal_a_line_says_so(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["view", str(runs)])
    assert capsys.readouterr().err == "error: the viewer needs a terminal: run this in one\n"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        newest_parts(tmp_path / "none")
