"""What a run's own file may hold."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from experiment.conftest import ExperimentFile
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.spec import RunSpec


@pytest.fixture
def spec(toy_file: ExperimentFile) -> RunSpec:
    """A run of the toy experiment."""
    return load_experiment(toy_file()).runs("cmd")[0]


def test_a_run_is_read_as_it_was_written(spec: RunSpec, tmp_path: Path) -> None:
    spec.write(tmp_path)
    assert RunSpec.read(tmp_path) == spec


@pytest.mark.parametrize(
    "changes",
    [
        {"config": 5},
        {"config": {"data": 5, "trainer": {"max_steps": 1}}},
        {"config": {"data": {"init_args": 5}, "trainer": {"max_steps": 1}}},
        {"config": {"data": {}, "trainer": 5}},
        {"config": {"data": {}, "trainer": {"max_steps": "many"}}},
        {"metric": "x"},
        {"metric": {"name": "test/error", "mode": "low"}},
        {"places": 5},
        {"sources": 5},
        {"seed": "x"},
        {"unheard_of": 1},
    ],
)
def test_a_damaged_file_is_refused_in_one_line(
    spec: RunSpec, tmp_path: Path, changes: dict[str, Any]
) -> None:
    spec.write(tmp_path)
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **changes}))
    with pytest.raises(UserError) as caught:
        RunSpec.read(tmp_path)
    assert str(caught.value) == (
        f"{path}: cannot be read as a run's configuration: remove {tmp_path} to have that run "
        "begun anew"
    )
