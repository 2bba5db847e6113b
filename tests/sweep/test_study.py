"""A study that cannot be gone on with is refused."""

import json
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

from mocha_lightning.errors import UserError
from mocha_lightning.sweep.definition import Sweep, load_sweep
from mocha_lightning.sweep.rehearsal import rehearse
from mocha_lightning.sweep.study import Study

from .conftest import SweepFile, begin

END: dict[str, Any] = {"state": "complete", "reason": "", "value": 0.5, "runs": []}


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
    content = {"number": taken.trial.number, "values": taken.values, **END}
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


def test_a_trial_that_nobody_has_ended_yet_keeps_its_folder_from_another_study(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    held = begin(sweep, folder, "sqlite").study.take()
    assert held is not None
    with pytest.raises(UserError, match="its trials are not those of the study rate in storage j"):
        begin(sweep, folder, "journal")
    held.lock.close()
    with pytest.raises(UserError, match="its trials are not those of the study rate in storage j"):
        begin(sweep, folder, "journal")
    taken = begin(sweep, folder, "sqlite").study.take()
    assert taken is not None
    assert (taken.trial.number, taken.values) == (0, held.values)


def test_a_study_that_is_emptied_as_commands_work_takes_no_trial_twice(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    study = begin(load_sweep(sweep_file()), tmp_path / "runs", "journal").study
    held = study.take()
    (tmp_path / "runs/study.journal").write_text("")
    with pytest.raises(UserError, match="trial-0000: another command does that trial"):
        study.take()
    assert held is not None


@pytest.mark.parametrize("storage", ["sqlite", "journal"])
def test_a_study_that_is_deleted_as_a_command_works_is_a_line(
    sweep_file: SweepFile, tmp_path: Path, storage: str
) -> None:
    study = begin(load_sweep(sweep_file()), tmp_path / "runs", storage).study
    taken = study.take()
    assert taken is not None
    optuna.delete_study(study_name="rate", storage=taken.trial.study._storage)
    with pytest.raises(UserError, match=r"study\.\w+: the study, or a trial of it, is no longer"):
        study.take()


@pytest.mark.parametrize("gone", ["", "trial.json"])
def test_a_trial_whose_end_is_gone_is_taken_up_again_with_its_number_and_setting(
    sweep_file: SweepFile, tmp_path: Path, gone: str
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    finish_one(sweep, folder, "sqlite")
    before = json.loads((folder / "trial-0000/trial.json").read_text())
    if gone:
        (folder / "trial-0000" / gone).unlink()
    else:
        (folder / "trial-0000").rename(tmp_path / "elsewhere")
    study = begin(sweep, folder).study
    taken = study.take()
    assert taken is not None
    assert (taken.trial.number, taken.values) == (0, before["values"])
    assert not study.all_over()
    assert not study.report(taken, 5, 0.25)
    (taken.folder / "trial.json").write_text(json.dumps(before))
    study.tell(taken, TrialState.COMPLETE, 0.5, "")
    following = study.take()
    assert following is not None
    assert following.trial.number == 1


def test_a_trial_that_was_given_up_and_is_done_again_is_given_up_at_the_same_step(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    study = begin(sweep, folder).study
    taken = study.take()
    assert taken is not None
    for step in (5, 10):
        study.report(taken, step, 0.5)
    study.tell(taken, TrialState.PRUNED, None, "at step 10 of seed 0")
    again = study.take()
    assert again is not None
    assert again.trial.number == 0
    assert [study.report(again, step, 0.5) for step in (5, 10)] == [False, True]


def test_a_trial_that_another_program_closes_is_done_to_its_end(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    study = begin(load_sweep(sweep_file()), tmp_path / "runs").study
    taken = study.take()
    assert taken is not None
    taken.trial.study.tell(taken.trial.number, state=TrialState.FAIL)
    assert not study.report(taken, 5, 0.5)
    study.tell(taken, TrialState.PRUNED, None, "its loss was NaN")


def take_and_report(study: Study) -> None:
    """Begin a trial."""
    taken = study.take()
    assert taken is not None
    study.report(taken, 5, 0.5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"sampler": {"class_path": "sweep.odd.Refusing"}},
            r"rate\.yaml:\d+: sampler: ValueError: it cannot choose: mend its arguments, install",
        ),
        (
            {"pruner": {"class_path": "sweep.odd.Unsure"}},
            r"rate\.yaml:\d+: pruner: KeyError: 'nothing': mend its arguments, install",
        ),
    ],
)
def test_what_a_sampler_or_a_pruner_raises_is_a_line_before_any_trial_and_later(
    sweep_file: SweepFile, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    sweep = load_sweep(sweep_file(**changes))
    with pytest.raises(UserError, match=said):
        rehearse(sweep)
    study = begin(sweep, tmp_path / "runs").study
    with pytest.raises(UserError, match=said):
        take_and_report(study)


def test_a_rehearsal_leaves_nothing_and_says_nothing(
    sweep_file: SweepFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = load_sweep(sweep_file(pruner={"class_path": "optuna.pruners.MedianPruner"}))
    before = sorted(tmp_path.iterdir())
    rehearse(sweep)
    assert sorted(tmp_path.iterdir()) == before
    assert capsys.readouterr() == ("", "")


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
