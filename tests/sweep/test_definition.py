"""A sweep file, checked down to the ends of its space."""

from pathlib import Path
from typing import Any

import pytest
from optuna.distributions import FloatDistribution, IntDistribution

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.sweep.definition import load_sweep

from .conftest import SHA256, SweepFile

GRID_SAMPLER = {
    "class_path": "optuna.samplers.GridSampler",
    "init_args": {"search_space": {"task.mechanism.noise": [0.0, 0.5]}},
}
NOISE = {"task.mechanism.noise": [0.0, 0.5]}


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(UserError) as caught:
        load_sweep(path, **options)
    return str(caught.value)


def test_a_setting_is_the_variant_with_its_numbers_set(sweep_file: SweepFile) -> None:
    sweep = load_sweep(sweep_file())
    setting = sweep.setting("trial-0000", {"task.mechanism.noise": 0.5})
    mechanism = setting.config["task"]["init_args"]["mechanism"]
    assert mechanism["class_path"] == "experiment.toy.Noisy"
    assert mechanism["init_args"]["noise"] == 0.5
    rest = sweep.variant.config["task"]["init_args"]["mechanism"]["init_args"]
    assert mechanism["init_args"] == {**rest, "noise": 0.5}


def test_its_runs_are_judged_by_the_validation_split(sweep_file: SweepFile) -> None:
    sweep = load_sweep(sweep_file())
    runs = sweep.runs(sweep.setting("trial-0000", {}), SHA256, "sweep")
    assert [spec.seed for spec in runs] == [0, 1]
    for spec in runs:
        assert (spec.metric.name, spec.metric.validation) == ("val/error", "val/error")
        assert not spec.metric.tested


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"space": {"task.mechanism.nois": [1]}}, "rate.yaml:4: space.task.mechanism.nois"),
        ({"space": {"mechanism.noise": [1]}}, "must begin with task, data, trainer"),
        ({"space": {"task.mechanism.noise": ["loud"]}}, "is 'loud', but must be float"),
        ({"space": {}}, "rate.yaml:3: space"),
        ({"space": {}}, "space: names no path"),
        ({"space": None}, "space: is missing"),
        ({"set": {"task.learning_rate": 1}}, "set.task.learning_rate: has no effect, since the sw"),
        ({"space": {"task.learning_rate": {"low": 1, "high": 0}}}, "(low=1, high=0): change its n"),
        ({"variant": "loud"}, "no variant of toy.yaml is named 'loud': there is noisy, plain"),
        ({"experiment": "none.yaml"}, "none.yaml: No such file"),
        ({"trials": None}, "trials: is missing"),
        ({"trials": 0}, "trials: should be greater than 0"),
        ({"seeds": [1, 1]}, "seeds.1: 1 is there twice"),
        ({"sampler": "tpe"}, "sampler: must be the word grid, or a class_path"),
        ({"sampler": {"class_path": "optuna.samplers.Tpe"}}, "sampler.class_path"),
        ({"sampler": {"class_path": "optuna.pruners.MedianPruner"}}, "sampler"),
        (
            {"sampler": {"class_path": "optuna.samplers.TPESampler", "init_args": {"seed": 1}}},
            "the sweep gives every trial a seed of its own",
        ),
        (
            {"sampler": {"class_path": "optuna.samplers.TPESampler", "init_args": None}},
            "sampler.init_args: must be a mapping from argument to value",
        ),
        (
            {"sampler": {"class_path": "optuna.samplers.BruteForceSampler"}},
            "BruteForceSampler ends a study itself: write sampler: grid",
        ),
        ({"sampler": {**GRID_SAMPLER}}, "GridSampler ends a study itself: write sampler: grid"),
        (
            {"pruner": {"class_path": "optuna.pruners.MedianPruner", "init_args": {"n": 1}}},
            "MedianPruner has no argument n",
        ),
        ({"sampler": "grid", "space": NOISE}, "trials: a grid tries every setting"),
        (
            {
                "sampler": "grid",
                "trials": None,
                "space": NOISE,
                "pruner": {"class_path": "optuna.pruners.MedianPruner"},
            },
            "pruner: a grid is a table of whole runs",
        ),
        (
            {"sampler": "grid", "trials": None},
            "space.task.learning_rate: has no end of values for a grid",
        ),
        ({"sorage": "sqlite"}, "sorage: is no key of a sweep: did you mean storage?"),
    ],
)
def test_a_mistake_is_named_by_file_line_and_key(
    sweep_file: SweepFile, changes: dict[str, Any], said: str
) -> None:
    assert said in complaint(sweep_file(**changes))


def test_a_value_that_a_class_refuses_is_found_before_anything_runs(
    sweep_file: SweepFile,
) -> None:
    path = sweep_file(space={"task.mechanism.gain": {"low": -1, "high": 1}})
    with pytest.raises(UserError, match=r"rate.yaml:\d+: space.task.mechanism.gain: gain must be"):
        load_sweep(path).check_ends()


@pytest.mark.parametrize("path", ["trainer.val_check_interval", "task.learning_rate"])
def test_a_range_is_of_whole_numbers_where_the_variant_has_one(
    sweep_file: SweepFile, path: str
) -> None:
    (found,) = load_sweep(sweep_file(space={path: {"low": 1, "high": 2}})).space.values()
    whole = path.startswith("trainer")
    assert found == (IntDistribution(1, 2) if whole else FloatDistribution(1, 2))


def test_what_is_sought_is_not_set_by_an_option(sweep_file: SweepFile) -> None:
    said = complaint(sweep_file(), settings={"task.learning_rate": 1})
    assert said.startswith("--set task.learning_rate: has no effect, since the sweep seeks it")


def test_an_experiment_s_file_is_no_sweep_s_nor_the_other_way_round(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    file = sweep_file()
    assert "toy.yaml: is an experiment's file" in complaint(tmp_path / "toy.yaml")
    with pytest.raises(UserError, match=r"rate.yaml: is a sweep's file: give it to `.* sweep`"):
        load_experiment(file)


def test_a_grid_has_as_many_trials_as_settings(sweep_file: SweepFile) -> None:
    path = sweep_file(sampler="grid", trials=None, space=NOISE)
    assert load_sweep(path).trials == 2
    assert "--trials: a grid tries every setting" in complaint(path, trials=3)
