"""What every test may ask for."""

import os
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
