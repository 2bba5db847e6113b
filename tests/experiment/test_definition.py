"""Experiment files: what is understood."""

import copy
from pathlib import Path
from typing import Any

import pytest

from experiment.conftest import ExperimentFile
from experiment.running import MECHANISM, NOISY, TOY
from mocha_lightning.experiment.definition import load_experiment


def test_runs_are_variants_times_seeds_and_each_variant_has_a_run_before_any_has_two(
    toy_file: ExperimentFile,
) -> None:
    runs = load_experiment(toy_file()).runs("cmd")
    assert [(run.variant, run.seed) for run in runs] == [
        ("plain", 0),
        ("noisy", 0),
        ("plain", 1),
        ("noisy", 1),
    ]


def test_a_configuration_has_every_default(toy_file: ExperimentFile) -> None:
    plain, noisy = load_experiment(toy_file()).variants
    assert plain.config["data"] == {
        "class_path": "experiment.toy.ToyData",
        "init_args": {"size": 4, "words": "few", "shelf": "here"},
    }
    task = noisy.config["task"]["init_args"]
    assert task["learning_rate"] == 0.05
    assert task["hidden"] == 4
    assert task["mechanism"] == {**NOISY, "init_args": {"gain": 1.0, "noise": 0.1}}


def test_variants_differ_in_what_they_say_and_in_nothing_else(toy_file: ExperimentFile) -> None:
    plain, noisy = load_experiment(toy_file()).variants
    changed = copy.deepcopy(noisy.config)
    changed["task"]["init_args"]["mechanism"] = plain.config["task"]["init_args"]["mechanism"]
    assert changed == plain.config


def test_a_path_reaches_into_the_base_and_init_args_is_implied(toy_file: ExperimentFile) -> None:
    task = {**TOY["task"], "init_args": {"mechanism": MECHANISM}}
    file = toy_file(
        task=task,
        variants={"loud": {"task.mechanism.gain": 2}, "big": {"data.size": 9}},
        comparisons=[],
    )
    loud, big = load_experiment(file).variants
    assert loud.config["task"]["init_args"]["mechanism"]["init_args"]["gain"] == 2.0
    assert big.config["task"]["init_args"]["mechanism"]["init_args"]["gain"] == 1.0
    assert big.config["data"]["init_args"]["size"] == 9


def test_a_single_variant_may_be_the_base_itself(toy_file: ExperimentFile) -> None:
    task = {**TOY["task"], "init_args": {"mechanism": MECHANISM}}
    experiment = load_experiment(toy_file(task=task, variants={"mine": {}}, comparisons=[]))
    (variant,) = experiment.variants
    assert (variant.name, dict(variant.differences)) == ("mine", {})
    assert len(experiment.runs("cmd")) == len(experiment.seeds)


def test_the_command_line_can_change_name_seeds_and_values(toy_file: ExperimentFile) -> None:
    experiment = load_experiment(toy_file(), "other", [7], {"task.hidden": 8})
    assert experiment.name == "other"
    assert experiment.seeds == (7,)
    assert all(each.config["task"]["init_args"]["hidden"] == 8 for each in experiment.variants)
    assert experiment.content["seeds"] == [7]
    assert experiment.content["task"]["init_args"]["hidden"] == 8


def test_an_argument_of_the_trainer_that_repeats_its_default_changes_nothing(
    toy_file: ExperimentFile,
) -> None:
    same = {**TOY["trainer"], "detect_anomaly": False, "accelerator": "cpu"}
    other = {**TOY["trainer"], "accelerator": "auto"}
    trainers = [
        load_experiment(toy_file(trainer=trainer)).variants[0].config["trainer"]
        for trainer in (TOY["trainer"], same, other)
    ]
    assert trainers == [TOY["trainer"], TOY["trainer"], other]


def test_the_hash_stands_for_all_that_decides_the_numbers(toy_file: ExperimentFile) -> None:
    def first(command: str = "cmd", **changes: Any) -> str:
        return load_experiment(toy_file(**changes)).runs(command)[0].config_hash

    same = first()
    assert first(command="other") == same
    assert first(notes=["a word"]) == same
    assert first(comparisons=[]) == same
    assert first(data={**TOY["data"], "init_args": {"shelf": "moved"}}) == same
    others = [
        first(seeds=[1]),
        first(threads=2),
        first(metric={"name": "test/error", "mode": "max"}),
        first(trainer={**TOY["trainer"], "max_steps": 25}),
        first(data={**TOY["data"], "init_args": {"size": 5}}),
    ]
    assert len({same, *others}) == 6


def test_a_class_of_the_users_own_is_found_in_the_current_folder(
    toy_file: ExperimentFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_own.py").write_text(
        "from experiment.toy import Mechanism\n"
        "class Mine(Mechanism):\n"
        "    def __init__(self, dim: int, *, extra: int = 3, **rest):\n"
        "        super().__init__(dim, **rest)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    mine = {"class_path": "my_own.Mine", "init_args": {"gain": 3}}
    file = toy_file(variants={"mine": {"task.mechanism": mine}}, comparisons=[])
    (variant,) = load_experiment(file).variants
    assert variant.config["task"]["init_args"]["mechanism"]["init_args"] == {
        "extra": 3,
        "gain": 3.0,
        "wide": False,
    }
