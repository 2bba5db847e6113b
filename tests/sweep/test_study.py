"""A study that cannot be gone on with is refused."""

from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.sweep.definition import load_sweep

from .conftest import SweepFile, begin


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"space": {"task.learning_rate": [0.1, 0.2]}}, "space task.learning_rate"),
        ({"seeds": [0]}, "seeds was"),
        ({"set": {"trainer.max_steps": 10}}, "trainer.max_steps was 20 and is 10"),
        ({"variant": "plain", "space": {"task.learning_rate": [0.1]}}, "rate.yaml|another sweep"),
    ],
)
def test_a_study_of_the_same_name_with_another_space_is_refused(
    sweep_file: SweepFile, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    begin(load_sweep(sweep_file()), tmp_path / "runs")
    with pytest.raises(UserError, match="the study rate is of another sweep") as caught:
        begin(load_sweep(sweep_file(**changes)), tmp_path / "runs")
    assert any(each in str(caught.value) for each in said.split("|"))


@pytest.mark.parametrize(
    ("storage", "said"),
    [
        ("nonsense", "is not sqlite, journal or the URL of a database"),
        ("nonsense://a/b", "is not sqlite, journal or the URL of a database"),
        ("postgresql+none://a/b", "is not sqlite, journal or the URL of a database"),
        ("sqlite:////nowhere/at/all/study.db", "unable to open database file"),
    ],
)
def test_a_storage_that_cannot_be_used_is_told_in_a_line(
    sweep_file: SweepFile, tmp_path: Path, storage: str, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        begin(load_sweep(sweep_file()), tmp_path / "runs", storage)


def test_a_damaged_file_is_told_in_a_line(sweep_file: SweepFile, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/study.db").write_text("no database at all, and long enough to be none")
    with pytest.raises(UserError, match="not a database: move it away"):
        begin(load_sweep(sweep_file()), tmp_path / "runs")
