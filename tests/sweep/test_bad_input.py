"""What cannot be done the command says in a line, with exit code 2, before any trial begins."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.cli.dispatch import dispatch

from .conftest import SweepFile

NO_PATH = {"space": {"task.mechanism.nois": [0.1]}}
Preparation = Callable[[Path], None]


def as_it_is(folder: Path) -> None:
    pass


def damaged(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "study.journal").write_text("no journal\nat all\n")


def a_file_in_its_place(folder: Path) -> None:
    folder.parent.write_text("")


def not_to_be_locked(folder: Path) -> None:
    (folder / ".study.lock").mkdir(parents=True)


@pytest.mark.parametrize(
    ("changes", "prepare", "said"),
    [
        (NO_PATH, as_it_is, "rate.yaml:4: space.task.mechanism.nois"),
        ({"space": {}}, as_it_is, "rate.yaml:3: space"),
        ({"storage": "nonsense"}, as_it_is, "storage nonsense: is not sqlite, journal or"),
        ({"storage": "mysql+aiomysql://a/b"}, as_it_is, "No module named 'aiomysql'"),
        ({"storage": "journal"}, damaged, "study.journal: is damaged, or of another version"),
        ({}, a_file_in_its_place, "cannot be written to: choose another folder with --runs"),
        ({}, not_to_be_locked, ".study.lock: Is a directory: mend that"),
    ],
)
def test_it_is_refused(
    sweep_file: SweepFile,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    prepare: Preparation,
    said: str,
) -> None:
    runs = tmp_path / "runs"
    prepare(runs / "rate")
    assert dispatch(["sweep", str(sweep_file(**changes)), "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert said in line
    assert not list(tmp_path.rglob("trial-*"))
