"""Where an experiment stands, from its files alone."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from experiment.conftest import ExperimentFile
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.locks import locked
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.prepare import record
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.experiment.status import print_status


def status(folder: Path) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=120)
    print_status(folder, console)
    assert isinstance(console.file, io.StringIO)
    return [line.split() for line in console.file.getvalue().splitlines()]


def test_every_run_has_a_state(toy_file: ExperimentFile, tmp_path: Path) -> None:
    experiment = load_experiment(toy_file(seeds=[0, 1, 2]))
    record(experiment, tmp_path)
    folders = [run_folder(tmp_path, run.variant, run.seed) for run in experiment.runs("cmd")]
    done, running, failed, stopped = folders[:4]
    for folder in (done, running, failed, stopped):
        folder.mkdir(parents=True)
    (done / "result.json").touch()
    write_progress(done, Progress("done", 20, 20, {"val/error": 0.125}))
    write_progress(running, Progress("training", 7, 20))
    write_progress(failed, Progress("failed", 3, 20, problem="RuntimeError: no luck"))
    write_progress(stopped, Progress("training", 9, 20))
    with locked(running):
        lines = status(tmp_path)
    assert ["plain", "seed", "0", "done", "20/20", "0.125"] in lines
    assert ["noisy", "seed", "0", "running", "7/20", "0", "s", "ago"] in lines
    assert ["plain", "seed", "1", "failed:", "RuntimeError:", "no", "luck", "3/20"] in lines
    assert ["noisy", "seed", "1", "stopped", "9/20"] in lines
    assert ["plain", "seed", "2", "missing"] in lines
    summary = " ".join(lines[-1])
    assert summary.endswith("6 runs: 2 missing, 1 done, 1 running, 1 failed, 1 stopped")


def test_a_folder_without_an_experiment_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"experiment\.yaml: there is no such file"):
        status(tmp_path)
