"""An experiment that stands on another, and what it sets in it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from experiment.conftest import ExperimentFile
from experiment.running import NOISY
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.file import read_file

LOUD = {"loud": {"task.mechanism": {**NOISY, "init_args": {"gain": 2}}}}


def write(path: Path, **content: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def refused(path: Path) -> str:
    with pytest.raises(UserError) as error:
        load_experiment(path)
    return str(error.value)


def test_task_data_and_the_rest_are_those_of_the_base_and_variants_are_its_own(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    base = load_experiment(toy_file(threads=3, notes=["of the base"]))
    own = load_experiment(write(tmp_path / "more/own.yaml", base="../toy.yaml", variants=LOUD))
    assert own.name == "own"
    assert [variant.name for variant in own.variants] == ["loud"]
    assert own.notes == ()
    assert (own.seeds, own.metric, own.threads) == (base.seeds, base.metric, 3)
    assert own.variants[0].config["data"] == base.variants[0].config["data"]
    assert own.variants[0].config["trainer"] == base.variants[0].config["trainer"]


def test_what_the_file_says_itself_it_does_not_take_from_the_base(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    toy_file()
    trainer = {"max_steps": 6, "val_check_interval": 3}
    path = write(tmp_path / "own.yaml", base="toy.yaml", trainer=trainer, seeds=[5], variants=LOUD)
    own = load_experiment(path)
    assert own.seeds == (5,)
    assert own.variants[0].config["trainer"] == trainer


def test_what_is_recorded_stands_alone(toy_file: ExperimentFile, tmp_path: Path) -> None:
    toy_file()
    path = write(tmp_path / "own.yaml", base="toy.yaml", variants=LOUD)
    alone = write(tmp_path / "alone/own.yaml", **load_experiment(path).content)
    assert load_experiment(alone).variants[0].config == load_experiment(path).variants[0].config


def test_a_base_may_have_a_base(toy_file: ExperimentFile, tmp_path: Path) -> None:
    toy_file(seeds=[9])
    write(tmp_path / "middle.yaml", base="toy.yaml", variants=LOUD, threads=2)
    own = load_experiment(write(tmp_path / "own.yaml", base="middle.yaml", variants=LOUD))
    assert (own.seeds, own.threads) == ((9,), 2)


def test_a_mistake_is_named_in_the_file_that_makes_it(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    base = toy_file(data={"class_path": "experiment.toy.ToyData", "init_args": {"sise": 3}})
    own = write(tmp_path / "own.yaml", base="toy.yaml", variants=LOUD)
    line = 1 + base.read_text().splitlines().index("    sise: 3")
    assert refused(own).startswith(f"{base}:{line}: data.sise (variant loud): ")
    toy_file(metric={"name": "error", "mode": "min"})
    assert re.match(rf"{re.escape(str(base))}:\d+: metric.name: ", refused(own))


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("none.yaml", "none.yaml is no file: give the path from this file's folder"),
        ("own.yaml", "own.yaml stands on this file: name another"),
        ("circle.yaml", "own.yaml stands on this file: name another"),
        (".", " is no file: give the path from this file's folder"),
        ("x" * 300, "is no file: give the path from this file's folder"),
        ("a\0b", "is no file: give the path from this file's folder"),
        (3, "must be the path of another experiment file"),
        ("", "must be the path of another experiment file"),
    ],
)
def test_a_base_that_is_none(base: Any, said: str, tmp_path: Path) -> None:
    write(tmp_path / "circle.yaml", base="own.yaml", variants=LOUD)
    path = write(tmp_path / "own.yaml", base=base, variants=LOUD)
    with pytest.raises(UserError, match=rf"\.yaml:1: base: .*{said}"):
        read_file(path)


def test_without_variants_of_its_own_it_makes_the_comparison_of_its_base(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    base = load_experiment(toy_file(notes=["of the base"]))
    data = {"class_path": "experiment.toy.ToyData", "init_args": {"size": 5}}
    own = load_experiment(write(tmp_path / "own.yaml", base="toy.yaml", data=data))
    assert [variant.differences for variant in own.variants] == [
        variant.differences for variant in base.variants
    ]
    assert own.content["comparisons"] == base.content["comparisons"]
    assert own.notes == ()


def test_what_is_set_is_set_for_all_variants_and_is_no_difference(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    toy_file()
    values = {"task.mechanism": NOISY, "data.size": 6}
    variants = {"one": {"task.mechanism.gain": 1}, "two": {"task.mechanism.gain": 2}}
    path = write(tmp_path / "own.yaml", base="toy.yaml", set=values, variants=variants)
    for variant, gain in zip(load_experiment(path).variants, (1.0, 2.0), strict=True):
        assert list(variant.differences) == ["task.mechanism.gain"]
        task, data = (variant.config[part]["init_args"] for part in ("task", "data"))
        assert task["mechanism"]["class_path"] == NOISY["class_path"]
        assert task["mechanism"]["init_args"]["gain"] == gain
        assert (task["learning_rate"], data["size"]) == (0.05, 6)


def test_what_a_base_sets_its_heirs_have(toy_file: ExperimentFile, tmp_path: Path) -> None:
    toy_file()
    write(tmp_path / "middle.yaml", base="toy.yaml", set={"data.size": 6}, variants=LOUD)
    path = write(tmp_path / "own.yaml", base="middle.yaml", set={"task.hidden": 7}, variants=LOUD)
    config = load_experiment(path).variants[0].config
    assert config["data"]["init_args"]["size"] == 6
    assert config["task"]["init_args"]["hidden"] == 7


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"task.hiden": 3}, "3: task.hiden (variant loud): ToyTask has no argument hiden"),
        ({"data.size": "much"}, "3: data.size (variant loud): is 'much', but must be"),
        (
            {"task.mechanism": {**NOISY, "init_args": {"gian": 1}}},
            "6: task.mechanism.gian (variant loud): ",
        ),
        ({"model.size": 3}, "3: set.model.size: must begin with task, data, trainer"),
        (
            {"data": {"class_path": "experiment.toy.ToyData"}},
            "3: set.data: is all of data: set data.class_path and the other arguments one by one, "
            "or write data beside set, which replaces the base's",
        ),
        ({"trainer": {}}, "3: set.trainer: is all of trainer: set trainer.max_steps and"),
        (
            {"task.learning_rate": 1.0},
            "3: set.task.learning_rate: has no effect, since every variant sets it: change the",
        ),
        (
            {"task.init_args.learning_rate": 1.0},
            "3: set.task.init_args.learning_rate: has no effect, since every variant sets it",
        ),
        # What a class lacks is told where the class is named, and not where the base names another.
        (
            {"task.class_path": "mocha_lightning.recognizer.SpeechRecognizer"},
            "3: task (variant loud): SpeechRecognizer needs attention: give it under init_args",
        ),
        ({"task.a.b": 3}, "3: set.task.a.b: the base has no task.a to set this in"),
        ({}, "2: set: must map dotted paths"),
        (["task.hidden"], "2: set: must map dotted paths"),
    ],
)
def test_a_mistake_in_what_is_set_is_named_where_it_is_set(
    values: Any, said: str, toy_file: ExperimentFile, tmp_path: Path
) -> None:
    toy_file()
    variants = {"loud": {"task.learning_rate": 2.0}}
    path = write(tmp_path / "own.yaml", base="toy.yaml", set=values, variants=variants)
    assert refused(path).startswith(f"{path}:{said}")


def test_base_is_among_the_keys_that_are_known(toy_file: ExperimentFile) -> None:
    assert "did you mean base or set?" in refused(toy_file(bse="toy.yaml"))


def test_a_base_may_set_what_its_own_variants_all_set_for_those_of_others(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    toy_file()
    middle = write(tmp_path / "middle.yaml", base="toy.yaml", set={"task.mechanism": NOISY})
    assert "set.task.mechanism: has no effect" in refused(middle)
    variants = {"loud": {"task.mechanism.gain": 2}}
    own = load_experiment(write(tmp_path / "own.yaml", base="middle.yaml", variants=variants))
    mechanism = own.variants[0].config["task"]["init_args"]["mechanism"]
    assert mechanism["class_path"] == NOISY["class_path"]


def test_what_a_variants_class_lacks_is_told_where_the_variant_names_it(
    toy_file: ExperimentFile,
) -> None:
    variants = {"other": {"task.class_path": "mocha_lightning.recognizer.SpeechRecognizer"}}
    said = refused(toy_file(variants=variants, comparisons=[]))
    assert ": variants.other.task.class_path: SpeechRecognizer needs attention" in said
