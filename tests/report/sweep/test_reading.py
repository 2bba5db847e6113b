"""What a sweep's files must be to be reported on."""

from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.report.sweep.reading import read_sweep

from ..conftest import put
from .conftest import SWEEP, R, SweepFolder, W


def refused(sweep: SweepFolder) -> str:
    with pytest.raises(UserError) as caught:
        read_sweep(sweep.path)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_trials_and_results_are_read_by_number(sweep: SweepFolder) -> None:
    found = read_sweep(sweep.path)
    assert [trial.number for trial in found.trials] == [0, 1, 2, 3, 4, 5]
    assert found.trials[0].scores == [2.2, 2.4, 2.3]
    assert found.trials[5].state == "pruned"
    assert [run.seed for run in found.results[0]] == [0, 1, 2]
    assert found.results[5] == ()


def test_a_trial_without_its_file_is_at_work(sweep: SweepFolder) -> None:
    sweep.begin(6)
    sweep.run(6, 0, 3.0, {W: 2, R: 0.0})
    found = read_sweep(sweep.path)
    assert found.at_work == (6,)
    assert len(found.results[6]) == 1


def test_before_a_trial_is_over_there_is_nothing_to_report(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "new")
    sweep.begin(0)
    assert "none of its 6 trials is over yet" in refused(sweep)


def test_what_is_no_trial_of_a_sweep_is_passed_by(sweep: SweepFolder) -> None:
    for name in ("trial-7", "trial-00001", "trial-x", "old-trial-0001"):
        (sweep.path / name).mkdir()
    (sweep.path / "trial-0008").touch()
    assert len(read_sweep(sweep.path).trials) == 6


@pytest.mark.parametrize("cut", [0, 1, 100, -2])
def test_a_truncated_trial_is_named(sweep: SweepFolder, cut: int) -> None:
    file = sweep.trial_file(2)
    file.write_text(file.read_text()[:cut])
    said = refused(sweep)
    assert said.startswith(f"{file}: not complete JSON")
    assert "move the trial's folder out of the sweep's" in said


def test_a_trial_or_run_of_a_newer_schema_asks_for_an_update(sweep: SweepFolder) -> None:
    sweep.change(sweep.trial_file(1), put("state", "paused"))
    sweep.change(sweep.trial_file(1), put("schema", 2))
    assert "update mocha-lightning" in refused(sweep)
    sweep.trial(1, {W: 1, R: 0.5}, [9.0, 9.4, 9.2])
    sweep.change(sweep.run_file(1, 0), put("schema", 2))
    assert "update mocha-lightning" in refused(sweep)


@pytest.mark.parametrize(
    ("keys", "value", "problem"),
    [
        ("number", 3, "key number: 3 in the folder of trial 0"),
        ("state", "paused", "key state: "),
        ("value", None, "key value: none, of a complete trial"),
        ("value", 2.0, "key value: 2, where the mean of its runs is 2.3"),
        ("value", float("nan"), "key value: nan is no score"),
        ("value", 1e60, "is no score"),
        ("values", {W: 4}, "key values: sets"),
        ("values", {W: 5, R: 0.0}, f"key values.{W}: 5 is not in the space"),
        ("values", {W: 4, R: 2.5}, f"key values.{R}: 2.5 is not in the space"),
        ("values", {W: 4.0, R: 0.0}, f"key values.{W}: 4.0 is not in the space"),
        ("runs", [{"seed": 9, "value": 2.3, "best_step": 1}], "key runs: seeds [9]"),
        ("runs", [{"seed": 0, "value": 2.3, "best_step": 1}], "key runs: 1 with a value"),
        ("intermediate", [[100]], "key intermediate.0"),
        ("intermediate", [[100, None]], "key intermediate.0.1"),
        ("reason", None, "key reason"),
    ],
)
def test_a_trial_that_denies_itself_or_its_sweep_is_refused(
    sweep: SweepFolder, keys: str, value: Any, problem: str
) -> None:
    file = sweep.trial_file(0)
    sweep.change(file, lambda content: content.update({keys: value}))
    said = refused(sweep)
    assert said.startswith(f"{file}: ")
    assert problem in said


def test_a_value_of_a_trial_that_is_not_complete_is_refused(sweep: SweepFolder) -> None:
    sweep.change(sweep.trial_file(5), put("value", 2.0))
    assert "key value: a number, of a trial pruned" in refused(sweep)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"experiment": "other"}, "key experiment: 'other'"),
        ({"variant": "trial-0003"}, "key variant: 'trial-0003'"),
        ({"seed": 2}, "key seed: 2"),
        ({"metric": {"name": "val/loss", "mode": "min"}}, "key metric"),
        ({"differences": {W: 4, R: -2.0}}, "key differences"),
        ({"differences": {W: 4}}, "key differences: sets"),
    ],
)
def test_a_run_of_something_else_is_refused(
    sweep: SweepFolder, change: dict[str, Any], problem: str
) -> None:
    file = sweep.run_file(0, 1)
    sweep.change(file, lambda content: content.update(change))
    said = refused(sweep)
    assert said.startswith(f"{file}: {problem}")
    assert "move the trial's folder out of the sweep's" in said


def test_a_run_with_another_score_than_its_trial_says_is_refused(sweep: SweepFolder) -> None:
    sweep.change(sweep.run_file(0, 1), put("metrics.val/wer.value", 2.0))
    assert "key metrics.val/wer: 2, where trial.json says 2.4" in refused(sweep)
    sweep.change(sweep.run_file(0, 1), put("metrics.val/wer.value", None))
    assert "key metrics.val/wer: nan, where trial.json says 2.4" in refused(sweep)


def test_a_run_that_has_looked_at_the_test_split_is_none_of_a_sweep(sweep: SweepFolder) -> None:
    sweep.change(sweep.run_file(0, 1), put("metrics.test/wer", {"value": 2.0, "signature": "wer"}))
    assert "key metrics.test/wer: of the test split" in refused(sweep)


def test_a_trial_whose_results_are_gone_is_still_read(sweep: SweepFolder) -> None:
    sweep.run_file(0, 1).unlink()
    assert read_sweep(sweep.path).trials[0].value == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"metric": {"name": "test/wer", "mode": "min"}}, "key metric: 'test/wer' is not of the"),
        ({"metric": {"name": "val/wer", "mode": "least"}}, "key metric.mode"),
        ({"seeds": []}, "key seeds"),
        ({"seeds": [0, 0]}, "key seeds: a seed is there twice"),
        ({"seeds": [True]}, "key seeds.0"),
        ({"trials": 0}, "key trials"),
        ({"space": {}}, "key space: names no path"),
        ({"space": {W: {"low": 3}}}, f"key space: {W}: must be a list of values"),
        ({"name": "other"}, "key name: 'other', and this is the folder of 'tiny-sweep'"),
    ],
)
def test_a_definition_that_cannot_be_is_refused(
    sweep: SweepFolder, changes: dict[str, Any], problem: str
) -> None:
    sweep.define(**changes)
    said = refused(sweep)
    assert said.startswith(f"{sweep.path / 'sweep.yaml'}: {problem}")
    assert "mocha-lightning sweep" in said


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", ":1: not YAML: expected the node content"),
        ("- 1", ": holds no keys and values"),
        ("", ": holds no keys and values"),
        ("\x00", ": not YAML"),
        ("a: 2026-99-99", ": not YAML"),
    ],
)
def test_a_definition_that_is_none_is_refused(sweep: SweepFolder, text: str, problem: str) -> None:
    (sweep.path / "sweep.yaml").write_text(text)
    assert refused(sweep).startswith(f"{sweep.path / 'sweep.yaml'}{problem}")


def test_what_a_definition_has_beside_is_passed_by(sweep: SweepFolder) -> None:
    sweep.define(storage="postgresql://somewhere/else")
    assert read_sweep(sweep.path).definition.trials == SWEEP["trials"]


def test_a_folder_in_a_file_s_place_is_told(sweep: SweepFolder) -> None:
    sweep.trial_file(0).unlink()
    sweep.trial_file(0).mkdir()
    assert refused(sweep).startswith(f"{sweep.trial_file(0)}: Is a directory")
