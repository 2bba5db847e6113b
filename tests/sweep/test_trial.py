"""A trial on its way, of whose files somebody has made something else."""

import json
from pathlib import Path
from typing import Any

import pytest
from optuna.trial import TrialState

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.runner import Run, State
from mocha_lightning.sweep.definition import load_sweep
from mocha_lightning.sweep.search import Search

from .conftest import SweepFile, begin

END: dict[str, Any] = {"state": "complete", "reason": "", "value": 0.5}


@pytest.fixture
def search(sweep_file: SweepFile, tmp_path: Path) -> Search:
    """One that has done nothing yet."""
    return begin(load_sweep(sweep_file()), tmp_path / "runs", jobs=1)


def begun(search: Search) -> Run:
    """The first run of its first trial."""
    specs = search([])
    assert specs
    run = Run(specs[0], run_folder(search.study.folder, specs[0].variant, specs[0].seed))
    run.folder.mkdir(parents=True)
    run.state = State.RUNNING
    return run


def told(search: Search) -> list[Any]:
    """What the books have of the first trial on its way."""
    (taken,) = (trial.taken for trial in search.in_hand)
    return [*taken.trial.study.trials[0].intermediate_values.items()]


@pytest.mark.parametrize(
    "odd",
    [b"rubbish", b"[1]", b'{"val/error": 0.5}', b'{"step": 7, "val/error": "0.5"}', b"\xff\xfe"],
)
def test_a_line_of_its_curves_that_is_no_record_is_passed_over(search: Search, odd: bytes) -> None:
    run = begun(search)
    lines = [b'{"step": 5, "val/error": 0.5}', odd, b'{"step": 10, "val/error": 0.25}', b'{"st']
    (run.folder / "curves.jsonl").write_bytes(b"\n".join(lines))
    assert search([run]) == []
    assert told(search) == [(5, 0.5), (10, 0.25)]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"reason": ""}'])
def test_a_run_that_is_to_be_given_up_is_though_nobody_knows_why(
    search: Search, content: str
) -> None:
    run = begun(search)
    (run.folder / "pruned.json").write_text(content)
    run.state = State.GIVEN_UP
    search([run])
    end = json.loads((run.folder.parent / "trial.json").read_text())
    assert (end["state"], end["reason"]) == ("pruned", "at a step that is not known")


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"metrics": {}, "best_step": 5, "ended": "completed"}',
        '{"metrics": {"val/error": {"value": "0.5"}}, "best_step": 5, "ended": "completed"}',
        '{"metrics": {"val/error": {"value": NaN}}, "best_step": 5, "ended": "completed"}',
        '{"metrics": {"val/error": 0.5}, "best_step": 5, "ended": "completed"}',
    ],
)
def test_a_result_that_no_trial_could_be_worth_is_a_line(search: Search, content: str) -> None:
    run = begun(search)
    (run.folder / "result.json").write_text(content)
    run.state = State.DONE
    with pytest.raises(
        UserError, match=r"seed-0/result\.json: has no val/error that a trial could"
    ):
        search([run])


def test_a_run_that_ends_with_a_score_that_is_infinite_is_a_bad_setting_and_says_so(
    search: Search,
) -> None:
    run = begun(search)
    result = {"metrics": {"val/error": {"value": None}}, "best_step": 5, "ended": "completed"}
    (run.folder / "result.json").write_text(json.dumps(result))
    run.state = State.DONE
    search([run])
    end = json.loads((run.folder.parent / "trial.json").read_text())
    assert (end["state"], end["reason"]) == ("diverged", "no finite val/error")


def end_first(search: Search, **changes: Any) -> Path:
    """Leave the first trial as a command that is killed before the study knows of its end."""
    taken = search.study.take()
    assert taken is not None
    taken.lock.close()
    content = {"number": 0, "values": taken.values, **END, **changes}
    (taken.folder / "trial.json").write_text(json.dumps(content))
    for name in ("best", "last"):
        path = taken.folder / f"seed-0/checkpoints/{name}.ckpt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return taken.folder


@pytest.mark.parametrize(
    ("state", "value", "kept"),
    [("complete", 0.5, {"best.ckpt"}), ("pruned", None, set()), ("failed", None, set())],
)
def test_an_end_that_the_study_was_not_told_is_told_and_makes_room(
    search: Search, state: str, value: float | None, kept: set[str]
) -> None:
    folder = end_first(search, state=state, value=value)
    search([])
    (first, *_) = search.study._study.trials
    states = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED}
    assert (first.state, first.value) == (states.get(state, TrialState.FAIL), value)
    assert {path.name for path in folder.glob("seed-0/checkpoints/*")} == kept


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "odd"},
        {"state": None},
        {"reason": {"a": 1}},
        {"value": "0.5"},
        {"value": float("nan")},
        {"value": float("inf")},
        {"value": True},
        {"value": [0.5]},
        {"value": None},
        {"state": "pruned"},
    ],
)
def test_an_end_that_nobody_could_tell_the_study_is_a_line(
    search: Search, changes: dict[str, Any]
) -> None:
    folder = end_first(search, **changes)
    with pytest.raises(UserError, match="cannot be read as a trial's end") as caught:
        search([])
    assert str(caught.value).startswith(f"{folder / 'trial.json'}: ")
    assert list(folder.glob("seed-0/checkpoints/*"))


def test_a_setting_whose_data_cannot_be_fails_in_its_run_and_not_the_whole_search(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    data = {"class_path": "sweep.odd.EvenData"}
    path = sweep_file(
        {"data": data},
        space={"data.size": [4, 3], "data.parts": [1, 2]},
        sampler="grid",
        trials=None,
    )
    sweep = load_sweep(path)
    sweep.check_ends()
    search = begin(sweep, tmp_path / "runs", jobs=4)
    found = search([])
    assert found is not None
    assert [spec.data_sha256 == "" for spec in found] == [False, False, False, True]
