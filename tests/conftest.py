"""What every test may ask for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

PROJECT = Path(__file__).parent.parent

# The tests' tensors are tiny, and threads only wait for each other: ten times slower on a busy
# machine.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of real recordings and documents; the test skips where it is absent."""
    folder = Path(os.environ.get("MOCHA_TEST_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder} (set MOCHA_TEST_DATA to a folder that has it)")
    return folder


@pytest.fixture(scope="session")
def real_file(real_data: Path) -> Callable[[str], Path]:
    """Gives the path of a file in that folder; the test skips where it is absent."""

    def path(name: str) -> Path:
        found = real_data / name
        if not found.is_file():
            pytest.skip(f"no real file at {found}")
        return found

    return path
