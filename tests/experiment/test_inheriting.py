"""An experiment that stands on another."""

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
        (3, "must be the path of another experiment file"),
        ("", "must be the path of another experiment file"),
    ],
)
def test_a_base_that_is_none(base: Any, said: str, tmp_path: Path) -> None:
    write(tmp_path / "circle.yaml", base="own.yaml", variants=LOUD)
    path = write(tmp_path / "own.yaml", base=base, variants=LOUD)
    with pytest.raises(UserError, match=rf"\.yaml:1: base: .*{said}"):
        read_file(path)


def test_base_is_among_the_keys_that_are_known(toy_file: ExperimentFile) -> None:
    assert "did you mean base?" in refused(toy_file(bse="toy.yaml"))
