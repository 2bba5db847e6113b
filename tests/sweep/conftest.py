"""What the tests of sweeps share: a sweep of the toy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from experiment.running import write_toy

from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.runner import Run, run_growing
from mocha_lightning.sweep.definition import Sweep, load_sweep
from mocha_lightning.sweep.search import Search
from mocha_lightning.sweep.study import Study
from mocha_lightning.tracking import DISABLED

SWEEP: dict[str, Any] = {
    "experiment": "toy.yaml",
    "variant": "noisy",
    "space": {
        "task.learning_rate": {"low": 1e-4, "high": 1.0, "log": True},
        "task.mechanism.noise": [0.0, 0.5],
    },
    "trials": 3,
    "seeds": [0, 1],
}
SHA256 = "0" * 64

SweepFile = Callable[..., Path]


@pytest.fixture
def sweep_file(tmp_path: Path) -> SweepFile:
    """Write the toy's sweep with some of its keys replaced; None leaves one out."""

    def write(toy: dict[str, Any] | None = None, **changes: Any) -> Path:
        write_toy(tmp_path, **(toy or {}))
        content = {key: value for key, value in {**SWEEP, **changes}.items() if value is not None}
        path = tmp_path / "rate.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        return path

    return write


def begin(sweep: Sweep, folder: Path, storage: str = "sqlite", jobs: int = 2) -> Search:
    """A command's search."""
    folder.mkdir(parents=True, exist_ok=True)
    return Search(sweep, Study(sweep, folder, storage, SHA256), jobs, "sweep", SHA256)


def do(path: Path, folder: Path, storage: str = "sqlite", **options: Any) -> list[Run]:
    """Do a sweep, or what is left of it."""
    sweep = load_sweep(path, **options)
    return run_growing(
        begin(sweep, folder, storage), folder, 2, Processes(DISABLED), lambda _: None
    )
