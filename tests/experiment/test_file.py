"""What the form of an experiment file allows."""

import pytest

from experiment.conftest import ExperimentFile
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment

LARGEST_SEED = 9_223_372_036_854_775_807


def test_no_more_threads_than_a_machine_can_have(toy_file: ExperimentFile) -> None:
    assert load_experiment(toy_file(threads=1024)).threads == 1024
    with pytest.raises(UserError, match=r"threads: should be less than or equal to 1024, not 1"):
        load_experiment(toy_file(threads=100_000))


def test_no_greater_seed_than_pytorch_takes(toy_file: ExperimentFile) -> None:
    assert load_experiment(toy_file(seeds=[LARGEST_SEED])).seeds == (LARGEST_SEED,)
    with pytest.raises(UserError, match=r"seeds\.1: must be 9,223,372,036,854,775,807 at most"):
        load_experiment(toy_file(seeds=[0, LARGEST_SEED + 1]))
