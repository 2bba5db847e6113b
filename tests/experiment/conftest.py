"""What the tests of experiments share."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from experiment.running import WANDERING, run_in_process, write_toy

ExperimentFile = Callable[..., Path]


@pytest.fixture
def toy_file(tmp_path: Path) -> ExperimentFile:
    """Write the toy experiment with some of its keys replaced."""
    return partial(write_toy, tmp_path)


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run, not to be changed."""
    folder = tmp_path_factory.mktemp("done")
    assert run_in_process(WANDERING, folder) == 0
    return folder
