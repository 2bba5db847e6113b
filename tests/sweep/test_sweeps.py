"""The sweeps that come with the package."""

from pathlib import Path

import pytest

from mocha_lightning.sweep.definition import load_sweep

SWEEPS = sorted((Path(__file__).parents[2] / "sweeps").glob("*.yaml"))


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_each_is_one(path: Path) -> None:
    sweep = load_sweep(path)
    assert sweep.name == path.stem
    assert sweep.trials > 0
