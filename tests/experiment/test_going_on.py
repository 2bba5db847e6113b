"""The command that does what is left of an experiment."""

import os
from pathlib import Path

import pytest

from experiment.conftest import ExperimentFile
from experiment.running import finish
from mocha_lightning.experiment.definition import Experiment, load_experiment
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.experiment.record import record
from mocha_lightning.experiment.standing import standing


def begin(
    experiment: Experiment, folder: Path, words: str, seed: int = 0, *, done: bool = False
) -> None:
    """Leave what a run of a command leaves."""
    (run,) = [
        run for run in experiment.runs(f"mocha-lightning run toy.yaml {words}")
        if (run.variant, run.seed) == ("noisy", seed)
    ]  # fmt: skip
    place = run_folder(folder, run.variant, run.seed)
    place.mkdir(parents=True, exist_ok=True)
    run.write(place)
    os.utime(place / "config.yaml", (seed, seed))
    write_progress(place, Progress("training", 9, 20, saved=5))
    if done:
        finish(place)


@pytest.mark.parametrize("words", ["", "--variants noisy --seeds 0", "--executor=ray --jobs 2"])
def test_what_one_command_has_begun_it_goes_on_with(
    toy_file: ExperimentFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Its results say what they were made of as they would have."""
    monkeypatch.chdir(tmp_path)
    experiment = load_experiment(toy_file(seeds=[0]))
    record(experiment, Path("runs/toy"))
    begin(experiment, Path("runs/toy"), words)
    assert standing(Path("runs/toy")).go_on == f"mocha-lightning run toy.yaml {words}".strip()


@pytest.mark.parametrize(
    ("first", "second", "done", "expected"),
    [
        ("--variants noisy --seeds 0", "--seeds 1 --variants noisy", False, " --variants noisy"),
        # All that was asked for is done: what is left is the rest.
        ("--variants noisy --jobs 1", "--variants noisy", True, ""),
        ("--variants noisy", "", False, ""),
        ("--executor serial", "--executor ray --jobs 2", False, " --executor ray"),
    ],
)
def test_what_several_commands_have_begun_goes_on_as_they_made_it(
    toy_file: ExperimentFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    second: str,
    done: bool,
    expected: str,
) -> None:
    """With their variants, where the last one had its runs done."""
    monkeypatch.chdir(tmp_path)
    experiment = load_experiment(toy_file(seeds=[0, 1]))
    record(experiment, Path("runs/toy"))
    begin(experiment, Path("runs/toy"), first, 0, done=done)
    begin(experiment, Path("runs/toy"), second, 1, done=done)
    assert (
        standing(Path("runs/toy")).go_on
        == f"mocha-lightning run runs/toy/experiment.yaml{expected}"
    )
