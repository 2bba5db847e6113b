"""A study that cannot be gone on with is refused."""

import json
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

from mocha_lightning.errors import UserError
from mocha_lightning.sweep.definition import Sweep, load_sweep

from .conftest import SweepFile, begin


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"space": {"task.learning_rate": [0.1, 0.2]}}, "space task.learning_rate"),
        ({"seeds": [0]}, "seeds was"),
        ({"set": {"trainer.max_steps": 10}}, "trainer.max_steps was 20 and is 10"),
        ({"seed": 1}, "seed was 0 and is 1"),
        ({"sampler": {"class_path": "optuna.samplers.RandomSampler"}}, "sampler was"),
        ({"pruner": {"class_path": "optuna.pruners.MedianPruner"}}, "pruner was"),
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


def test_a_study_of_the_same_name_with_another_direction_is_refused(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    optuna.create_study(
        storage=f"sqlite:///{tmp_path / 'runs/study.db'}", study_name="rate", direction="maximize"
    )
    with pytest.raises(UserError, match=r"of another sweep \(it was made by something else\)"):
        begin(load_sweep(sweep_file()), tmp_path / "runs")


def finish_one(sweep: Sweep, folder: Path, storage: str) -> None:
    """Take a trial, and leave it as one that is over."""
    study = begin(sweep, folder, storage).study
    taken = study.take()
    assert taken is not None
    content = {"number": taken.trial.number, "values": taken.values}
    (taken.folder / "trial.json").write_text(json.dumps(content))
    study.tell(taken, TrialState.COMPLETE, 0.5, "")


def test_a_sweep_goes_on_in_the_storage_that_it_was_begun_in_alone(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep = load_sweep(sweep_file())
    finish_one(sweep, tmp_path / "runs", "sqlite")
    begin(sweep, tmp_path / "runs", "sqlite")
    with pytest.raises(UserError, match="its trials are not those of the study rate in storage j"):
        begin(sweep, tmp_path / "runs", "journal")


def test_a_database_s_study_has_its_trials_in_one_folder(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep, shared = load_sweep(sweep_file()), f"sqlite:///{tmp_path / 'shared.db'}"
    finish_one(sweep, tmp_path / "runs", shared)
    begin(sweep, tmp_path / "runs", shared)
    with pytest.raises(UserError, match="elsewhere: its trials are not those of the study"):
        begin(sweep, tmp_path / "elsewhere", shared)
    (tmp_path / "runs").rename(tmp_path / "moved")
    begin(sweep, tmp_path / "moved", shared)


def test_a_storage_that_has_lost_trials_is_not_gone_on_with(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    finish_one(sweep, folder, "sqlite")
    before = (folder / "study.db").read_bytes()
    finish_one(sweep, folder, "sqlite")
    begin(sweep, folder)
    (folder / "study.db").write_bytes(before)
    with pytest.raises(UserError, match="its trials are not those of the study"):
        begin(sweep, folder)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"number": 0}', '{"number": -1, "values": {}}'])
def test_a_trial_whose_end_is_damaged_is_a_line(
    sweep_file: SweepFile, tmp_path: Path, text: str
) -> None:
    sweep = load_sweep(sweep_file())
    finish_one(sweep, tmp_path / "runs", "sqlite")
    end = tmp_path / "runs/trial-0000/trial.json"
    end.write_text(text)
    with pytest.raises(UserError, match="cannot be read as a trial's end") as caught:
        begin(sweep, tmp_path / "runs", "sqlite")
    assert str(caught.value).startswith(f"{end}: ")
