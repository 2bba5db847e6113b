"""Where a result comes from: the files that take part in a run."""

import hashlib
from pathlib import Path

from experiment import toy
from experiment.conftest import ExperimentFile
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.provenance import taking_part


def test_the_experiment_s_files_and_the_users_own_modules_take_part(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    base = toy_file()
    own = tmp_path / "own.yaml"
    variants = "{mine: {task.mechanism: {class_path: experiment.toy.Mechanism}}}"
    own.write_text(f"base: toy.yaml\nvariants: {variants}\n")
    (spec,) = load_experiment(own, seeds=[0]).runs("cmd")
    assert taking_part(spec) == {own, base, Path(str(toy.__file__)).resolve()}


def test_an_experiment_s_files_are_those_that_were_read(toy_file: ExperimentFile) -> None:
    """They may be edited while its runs go on."""
    path = toy_file(seeds=[0])
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    spec = load_experiment(path).runs("cmd")[0]
    toy_file(seeds=[1])
    assert spec.files == {str(path): before}
