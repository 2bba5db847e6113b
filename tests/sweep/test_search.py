"""A search as commands do it: with real processes, of the toy."""

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import optuna
import pytest
import yaml
from experiment.running import result, write_toy
from experiment.toy import ToyData
from optuna.trial import TrialState

from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.execute import execute
from mocha_lightning.experiment.runner import State
from mocha_lightning.sweep.best import write_best
from mocha_lightning.sweep.definition import load_sweep
from mocha_lightning.sweep.record import record
from mocha_lightning.sweep.storage import open_storage
from mocha_lightning.tracking import DISABLED

from .conftest import SHA256, SWEEP, SweepFile, begin, do


def trials(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("trial-*/trial.json"))]


def study(folder: Path, storage: str = "sqlite") -> optuna.Study:
    return optuna.load_study(study_name="rate", storage=open_storage(storage, folder))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished sweep, not to be changed."""
    folder = tmp_path_factory.mktemp("swept")
    write_toy(folder)
    (folder / "rate.yaml").write_text(yaml.safe_dump(SWEEP))
    runs = do(folder / "rate.yaml", folder / "runs" / "rate")
    assert [run.state for run in runs] == [State.DONE] * 6
    return folder / "runs" / "rate"


def test_a_trial_is_worth_the_mean_of_its_runs(swept: Path) -> None:
    found = trials(swept)
    assert [trial["number"] for trial in found] == [0, 1, 2]
    for trial in found:
        runs = [result(swept / f"trial-000{trial['number']}" / f"seed-{seed}") for seed in (0, 1)]
        values = [run["metrics"]["val/error"]["value"] for run in runs]
        assert trial["value"] == pytest.approx(sum(values) / 2)
        assert [run["differences"] for run in runs] == [trial["values"]] * 2
    assert [trial.value for trial in study(swept).trials] == [each["value"] for each in found]


def test_what_is_told_on_the_way_ends_at_what_the_trial_is_worth(swept: Path) -> None:
    for trial in trials(swept):
        steps = [step for step, _ in trial["intermediate"]]
        assert steps == [5, 10, 15, 20, 25, 30, 35, 40]
        assert trial["intermediate"][-1][1] == pytest.approx(trial["value"])


def test_nobody_looks_at_the_test_split(swept: Path) -> None:
    for path in swept.glob("trial-*/seed-*"):
        assert set(result(path)["metrics"]) == {"val/error", "val/loss"}
        assert not (path / "predictions.jsonl").exists()


def test_a_search_never_asks_for_the_test_split(
    sweep_file: SweepFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: ToyData) -> None:
        raise AssertionError("the test split was looked at")

    monkeypatch.setattr(ToyData, "test_dataloader", refuse)
    sweep = load_sweep(sweep_file())
    spec, *_ = sweep.runs(sweep.setting("trial-0000", {}), SHA256, "sweep")
    execute(spec, tmp_path, DISABLED)
    assert set(result(tmp_path)["metrics"]) == {"val/error", "val/loss"}


def test_of_a_trial_only_the_best_checkpoints_are_kept(swept: Path) -> None:
    kept = {path.name for path in swept.glob("trial-*/seed-*/checkpoints/*")}
    assert kept == {"best.ckpt"}


def test_the_same_command_again_does_nothing_and_more_trials_add_to_it(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    path = sweep_file(seeds=[0], trials=1)
    do(path, tmp_path / "runs")
    before = (tmp_path / "runs/trial-0000/seed-0/result.json").read_bytes()
    assert do(path, tmp_path / "runs") == []
    do(path, tmp_path / "runs", trials=2)
    assert [trial["number"] for trial in trials(tmp_path / "runs")] == [0, 1]
    assert (tmp_path / "runs/trial-0000/seed-0/result.json").read_bytes() == before


def test_what_a_search_tries_follows_from_its_seed_stopped_or_not(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sampler = {"class_path": "optuna.samplers.RandomSampler"}
    path = sweep_file(seeds=[0], trials=3, sampler=sampler)
    do(path, tmp_path / "whole")
    for count in (1, 2, 3):
        do(path, tmp_path / "parts", trials=count)
    whole, parts = ([each["values"] for each in trials(tmp_path / n)] for n in ("whole", "parts"))
    assert whole == parts
    assert len({json.dumps(values) for values in whole}) == 3


def test_a_grid_tries_every_setting_once(sweep_file: SweepFile, tmp_path: Path) -> None:
    space = {"task.mechanism.noise": [0.0, 0.1, 0.5]}
    path = sweep_file(sampler="grid", trials=None, space=space, seeds=[0])
    do(path, tmp_path / "runs", storage="journal")
    do(path, tmp_path / "runs", storage="journal")
    noises = [trial["values"]["task.mechanism.noise"] for trial in trials(tmp_path / "runs")]
    assert sorted(noises) == [0.0, 0.1, 0.5]


def test_what_is_worse_than_others_were_is_given_up(sweep_file: SweepFile, tmp_path: Path) -> None:
    pruner = {
        "class_path": "optuna.pruners.ThresholdPruner",
        "init_args": {"upper": 0.0, "n_warmup_steps": 10},
    }
    slow = {"task": {"class_path": "experiment.toy.ToyTask", "init_args": {"step_seconds": 0.1}}}
    runs = do(sweep_file(slow, trials=1, pruner=pruner), tmp_path / "runs")
    assert [run.state for run in runs] == [State.GIVEN_UP]
    (trial,) = trials(tmp_path / "runs")
    assert (trial["state"], trial["value"]) == ("pruned", None)
    assert trial["reason"] == "at step 10 of seed 0"
    assert study(tmp_path / "runs").trials[0].state is TrialState.PRUNED
    assert not (tmp_path / "runs/trial-0000/seed-0/result.json").exists()


def test_a_setting_at_which_training_breaks_down_is_a_bad_one(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    space = {"task.not_a_number_at": [3]}
    do(sweep_file(trials=1, space=space), tmp_path / "runs")
    (trial,) = trials(tmp_path / "runs")
    assert trial["state"] == "diverged"
    assert "NaN" in trial["reason"]
    assert study(tmp_path / "runs").trials[0].state is TrialState.PRUNED


def test_a_setting_whose_run_failed_is_tried_again_by_the_next_command(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    space = {"task.fail_at": [3]}
    path = sweep_file(trials=1, space=space, seeds=[0])
    for failures in (1, 2):
        runs = do(path, tmp_path / "runs")
        assert [run.state for run in runs] == [State.FAILED]
        found = trials(tmp_path / "runs")
        assert [trial["state"] for trial in found] == ["failed"] * failures
        assert found[-1]["values"] == {"task.fail_at": 3}
        assert "told to fail" in found[-1]["reason"]


def _command(path: Path, folder: Path) -> None:
    do(path, folder)
    os._exit(0)


def test_a_killed_command_loses_no_trial_and_another_takes_its_up(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    slow = {"task": {"class_path": "experiment.toy.ToyTask", "init_args": {"step_seconds": 0.05}}}
    path, folder = sweep_file(slow, trials=3, seeds=[0]), tmp_path / "runs"
    spawn = multiprocessing.get_context("spawn")
    command = spawn.Process(target=_command, args=(path, folder))
    command.start()
    deadline = time.monotonic() + 180
    while not list(folder.glob("trial-*/seed-0/checkpoints/last.ckpt")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert command.pid is not None
    os.kill(command.pid, signal.SIGKILL)
    command.join()
    do(path, folder)
    found = trials(folder)
    assert [trial["number"] for trial in found] == [0, 1, 2]
    assert [trial["state"] for trial in found] == ["complete"] * 3
    states = [trial.state for trial in study(folder).trials]
    assert states == [TrialState.COMPLETE] * 3


def test_a_trial_that_another_command_does_is_left_to_it(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep = load_sweep(sweep_file(trials=2))
    first, second = (begin(sweep, tmp_path / "runs").study for _ in range(2))
    held = first.take()
    other = second.take()
    assert held is not None
    assert other is not None
    assert (held.trial.number, other.trial.number) == (0, 1)
    assert second.take() is None
    assert not second.all_over()
    held.lock.close()
    again = second.take()
    assert again is not None
    assert (again.trial.number, again.values) == (0, held.values)


def test_the_best_setting_becomes_a_comparison_with_fresh_seeds(
    swept: Path,
) -> None:
    sweep = load_sweep(swept.parents[1] / "rate.yaml")
    record(sweep, swept, "sqlite")
    write_best(sweep, swept)
    best = min(trials(swept), key=lambda trial: trial["value"])
    experiment = load_experiment(swept / "best.yaml")
    assert [variant.name for variant in experiment.variants] == ["noisy", "noisy_best"]
    assert experiment.seeds == tuple(range(2, 10))
    assert experiment.metric.name == "test/error"
    assert experiment.variants[0].config == sweep.variant.config
    chosen = sweep.setting("noisy_best", best["values"])
    assert experiment.variants[1].config == chosen.config
