"""What the form of an experiment file allows."""

import pytest

from experiment.conftest import ExperimentFile
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment


def test_no_more_threads_than_a_machine_can_have(toy_file: ExperimentFile) -> None:
    assert load_experiment(toy_file(threads=1024)).threads == 1024
    with pytest.raises(UserError, match=r"threads: should be less than or equal to 1024, not 1"):
        load_experiment(toy_file(threads=100_000))
