"""What every test may ask for."""

import gc
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from commands import Command, ExperimentFile, give

PROJECT = Path(__file__).parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits most: other processes compute meanwhile."""
    items.sort(key=lambda item: "executors" not in item.path.parts)


def pytest_collection_finish() -> None:
    """Have what was imported stay: to look for garbage in all of it takes a third of a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    # The tests' tensors are tiny, and threads only wait for each other: ten times slower on a busy
    # machine. Imported here: the process that only hands the tests out need not wait for it.
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def mixed_precision() -> None:
    """Skips where the processor cannot compute an LSTM under autocast to bfloat16."""
    import torch

    # Meant: precision is an experiment's choice, and without it all else can be tested.
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("this processor computes no LSTM in bfloat16")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of real recordings and documents; the test skips where it is absent."""
    folder = Path(os.environ.get("MOCHA_TEST_DATA", PROJECT.parent / "shared" / "data"))
    # Meant: real data are no part of the project, and whoever has none tests the rest.
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder} (set MOCHA_TEST_DATA to a folder that has it)")
    return folder


@pytest.fixture(scope="session")
def real_file(real_data: Path) -> Callable[[str], Path]:
    """Gives the path of a file in that folder; the test skips where it is absent."""

    def path(name: str) -> Path:
        return _there(real_data / name, Path.is_file)

    return path


@pytest.fixture(scope="session")
def real_folder(real_data: Path) -> Callable[[str], Path]:
    """Gives the path of a folder in that folder; the test skips where it is absent."""

    def path(name: str) -> Path:
        return _there(real_data / name, Path.is_dir)

    return path


def _there(path: Path, is_what_is_wanted: Callable[[Path], bool]) -> Path:
    # Meant: a folder named by MOCHA_TEST_DATA may have some of the data and not all.
    if not is_what_is_wanted(path):
        pytest.skip(f"no real data at {path}")
    return path


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Give a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    return partial(give, capsys)


@pytest.fixture
def toy_file(tmp_path: Path) -> ExperimentFile:
    """Write the toy experiment with some of its keys replaced."""
    from experiment.running import write_toy

    return partial(write_toy, tmp_path)
