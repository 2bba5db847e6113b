"""The demonstration comes to the same bytes whatever does its runs."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.experiment.commit import git_state
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.executors.base import Executor
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.executors.serial import Serial
from mocha_lightning.experiment.rerun import compare_runs
from mocha_lightning.experiment.resolving import instantiate
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

DEMO = Path(__file__).parents[3] / "experiments" / "demo.yaml"
FEW = {
    "trainer.max_steps": 4,
    "trainer.val_check_interval": 2,
    "data.train_utterances": 64,
    "data.validation_utterances": 8,
    "data.test_utterances": 8,
}


def on_ray(folder: Path, patch: pytest.MonkeyPatch) -> Executor:
    pytest.importorskip("ray", reason="Ray is not installed (the extra ray)")
    from mocha_lightning.experiment.executors.on_ray import Ray
    from mocha_lightning.experiment.executors.ray_nodes import Request

    patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    return Ray(Request(gather="always"), folder, DISABLED, {}, git_state())


def on_slurm(folder: Path, patch: pytest.MonkeyPatch) -> Executor:
    pytest.importorskip("submitit", reason="submitit is not installed (the extra slurm)")
    from mocha_lightning.experiment.executors.on_slurm import Request, Slurm

    return Slurm(Request("local"), folder, DISABLED)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> RunSpec:
    pytest.importorskip("espeakng_loader", reason="eSpeak NG is not installed (the extra espeak)")
    settings: dict[str, Any] = {**FEW, "data.cache_dir": str(tmp_path_factory.mktemp("cache"))}
    (spec,) = load_experiment(DEMO, seeds=[0], settings=settings).runs("demo", ["mocha_w2"])
    _, data = instantiate(spec.config)
    data.prepare_data()
    data.setup("fit")
    return replace(spec, data_sha256=data.sha256)


def ignore(runs: Sequence[Run]) -> None:
    pass


@pytest.fixture(scope="module")
def at_home(spec: RunSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (run,) = run_all([spec], tmp_path_factory.mktemp("home"), 1, Processes(DISABLED), ignore)
    return run.folder


@pytest.mark.parametrize(
    "begin", [lambda *_: Serial(DISABLED), on_ray, on_slurm], ids=["serial", "ray", "slurm"]
)
def test_the_demonstration_comes_to_the_same_bytes(
    begin: Callable[[Path, pytest.MonkeyPatch], Executor],
    spec: RunSpec,
    at_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (run,) = run_all([spec], tmp_path, 1, begin(tmp_path, monkeypatch), ignore)
    assert (run.state, run.problem.startswith("exit code 0")) == (State.DONE, True)
    assert compare_runs(at_home, run.folder) == []
    for name in ("curves.jsonl", "predictions.jsonl"):
        assert (run.folder / name).read_bytes() == (at_home / name).read_bytes()
