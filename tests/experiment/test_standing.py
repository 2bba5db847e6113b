"""Where an experiment stands, from its files alone."""

import io
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiment.conftest import ExperimentFile
from experiment.running import TOY, finish
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.locks import locked
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.experiment.record import record
from mocha_lightning.experiment.standing import standing, state_of
from mocha_lightning.experiment.status import print_status


def status(folder: Path, file: Path | None = None) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=120)
    print_status(standing(folder, file), console)
    assert isinstance(console.file, io.StringIO)
    return [line.split() for line in console.file.getvalue().splitlines()]


def test_every_run_has_a_state(toy_file: ExperimentFile, tmp_path: Path) -> None:
    experiment = load_experiment(toy_file(seeds=[0, 1, 2]))
    record(experiment, tmp_path)
    folders = [run_folder(tmp_path, run.variant, run.seed) for run in experiment.runs("cmd")]
    done, running, failed, stopped = folders[:4]
    for folder in (done, running, failed, stopped):
        folder.mkdir(parents=True)
    finish(done)
    write_progress(done, Progress("done", 20, 20, {"val/error": 0.5}, {"val/error": 0.125}))
    write_progress(running, Progress("training", 7, 20))
    write_progress(failed, Progress("failed", 3, 20, problem="RuntimeError: no luck"))
    write_progress(stopped, Progress("training", 9, 20, saved=5))
    with locked(running):
        lines = status(tmp_path)
    assert ["plain", "seed", "0", "done", "20/20", "0.5", "0.125"] in lines
    assert ["noisy", "seed", "0", "running", "7/20", "0", "s", "ago"] in lines
    assert ["plain", "seed", "1", "failed:", "RuntimeError:", "no", "luck", "3/20"] in lines
    assert "noisy seed 1 stopped, goes on from step 5 9/20" in [" ".join(line) for line in lines]
    assert ["plain", "seed", "2", "not", "begun"] in lines
    summary = " ".join(lines[-1])
    assert summary.endswith("6 runs: 2 not begun, 1 done, 1 running, 1 failed, 1 stopped")
    # What does one now may be about to do the others.
    summary = " ".join(status(tmp_path)[-1])
    assert "6 runs: 2 stopped, 2 not begun, 1 done, 1 failed; go on by" in summary
    assert f"`mocha-lightning run {tmp_path}/experiment.yaml --runs {tmp_path.parent}`" in summary


def test_the_time_left_follows_what_steps_took(toy_file: ExperimentFile, tmp_path: Path) -> None:
    """A variant's own steps where it has made some, else those of all."""
    variants = {**TOY["variants"], "more": {"trainer.max_steps": 40, **TOY["variants"]["plain"]}}
    experiment = load_experiment(toy_file(seeds=[0, 1], variants=variants))
    record(experiment, tmp_path)
    plain, noisy, _, plain_1, *_ = (
        run_folder(tmp_path, run.variant, run.seed) for run in experiment.runs("cmd")
    )
    assert "left" not in status(tmp_path)[-1]
    for folder in (plain, noisy, plain_1):
        folder.mkdir(parents=True)
    # 3 s a step; 12 s a step; of all 60 steps on average 6 s.
    finish(plain)
    write_progress(plain, Progress("done", 20, 20, seconds=60))
    write_progress(plain_1, Progress("training", 20, 20, saved=15, seconds=60))
    write_progress(noisy, Progress("training", 10, 20, saved=5, seconds=120))
    write_progress(tmp_path, Progress())  # lies beside the runs and is none
    with locked(noisy):
        lines = status(tmp_path)
    # 10 steps of 12 s; from the last validation on, 5 of 3 s; 20 of 12 s; twice 40 of 4.8 s.
    assert ["noisy", "seed", "0", "running", "10/20", "2", "min", "0", "s", "ago"] in lines
    left = 120 + 15 + 240 + 2 * 40 * (60 + 60 + 120) / 50
    assert f"about {left / 60:.0f} min left with 1 at a time" in " ".join(lines[-1])
    with locked(noisy), locked(plain_1):
        lines = status(tmp_path)
    left = (120 + 240 + 2 * 40 * (60 + 60 + 120) / 50) / 2
    assert f"about {left / 60:.0f} min left with 2 at a time" in " ".join(lines[-1])


def test_a_clock_that_was_set_back_makes_nothing_of_the_future(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    experiment = load_experiment(toy_file())
    record(experiment, tmp_path)
    stopped, running = experiment.runs("cmd")[:2]
    later = time.time() + 3600
    for run in (stopped, running):
        folder = run_folder(tmp_path, run.variant, run.seed)
        folder.mkdir(parents=True)
        run.write(folder)
        os.utime(folder / "config.yaml", (later, later))
        write_progress(folder, Progress("training", 9, 20))
        seen = json.loads((folder / "progress.json").read_text())
        (folder / "progress.json").write_text(json.dumps({**seen, "updated": later}))
    with locked(folder):
        said = [" ".join(line) for line in status(tmp_path)]
    assert f"{stopped.name} stopped, goes on from step 0 9/20" in said
    assert f"{running.name} running 9/20 0 s ago" in said


@pytest.mark.parametrize(
    ("called", "told"),
    [
        (".venv/bin/mocha-lightning", ".venv/bin/mocha-lightning"),
        ("/opt/bin/mocha-lightning", "/opt/bin/mocha-lightning"),
        ("/found/by/the/shell/mocha-lightning", "mocha-lightning"),
        ("mocha-lightning", "mocha-lightning"),
        ("/opt/lib/mocha_lightning/__main__.py", "mocha-lightning"),
    ],
)
def test_a_command_is_printed_as_the_program_was_called(
    called: str,
    told: str,
    toy_file: ExperimentFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", [called, "status", "toy"])
    monkeypatch.setattr(shutil, "which", lambda name: f"/found/by/the/shell/{name}")
    lines = status(tmp_path / "runs" / "toy", toy_file())
    assert f": begin with `{told} run " in " ".join(lines[-1])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run of which there is nothing yet."""
    folder = tmp_path / "plain" / "seed-0"
    folder.mkdir(parents=True)
    return folder


def state(run: Path) -> str:
    return state_of(run.parent.parent, "plain", 0)[0]


def test_a_run_whose_loss_was_no_number_is_diverged(run: Path) -> None:
    finish(run, ended="the training loss was nan at step 7")
    assert state(run) == "diverged"
    write_progress(run, Progress("done", 7, 20))
    assert state(run) == "diverged"
    finish(run)
    write_progress(run, Progress("diverged", 7, 20))
    assert state(run) == "done"


@pytest.mark.parametrize("change", [{"experiment": "a"}, {"variant": "noisy"}, {"seed": 1}])
def test_the_result_of_another_run_is_not_taken_for_it(run: Path, change: dict[str, Any]) -> None:
    finish(run, **change)
    found, seen = state_of(run.parent.parent, "plain", 0)
    assert found == "broken result"
    assert seen.problem.startswith("is the result of ")
    assert f"plain 0: move {run} back to where it was done" in seen.problem


def test_a_run_that_was_asked_for_is_starting_until_it_is_at_work(run: Path) -> None:
    assert state(run) == "not begun"
    (run / "config.yaml").touch()
    assert state(run) == "starting"
    with locked(run):
        assert state(run) == "starting"
        # It failed when it was tried before.
        write_progress(run, Progress("failed", 3, 20))
        assert state(run) == "starting"
        write_progress(run, Progress("training", 0, 20))
        assert state(run) == "running"


def test_a_run_that_is_begun_again_is_starting(run: Path) -> None:
    (run / "log.txt").touch()
    write_progress(run, Progress("training", 7, 20))
    assert state(run) == "stopped"
    (run / "config.yaml").touch()
    later = time.time() + 1
    os.utime(run / "config.yaml", (later, later))
    assert state(run) == "starting"


def test_a_run_whose_process_ended_or_never_came_is_not_starting(run: Path) -> None:
    (run / "config.yaml").touch()
    (run / "log.txt").touch()
    later = time.time() + 1
    os.utime(run / "log.txt", (later, later))
    assert state(run) == "not begun"
    (run / "log.txt").unlink()
    before = time.time() - 100
    os.utime(run / "config.yaml", (before, before))
    assert state(run) == "not begun"


def test_an_experiment_of_which_no_run_has_begun_is_told_from_its_file(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    file = toy_file(seeds=[0, 1])
    lines = status(tmp_path / "runs" / "toy", file)
    assert ["noisy", "seed", "1", "not", "begun"] in lines
    assert " ".join(lines[-1]) == (
        f"{tmp_path}/runs/toy: 4 runs: no run begun yet: begin with `mocha-lightning run {file}`"
    )


def test_an_experiment_that_was_begun_is_told_as_it_was_begun(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    folder = tmp_path / "runs" / "toy"
    record(load_experiment(toy_file(seeds=[0])), folder)
    lines = status(folder, toy_file(seeds=[0, 1]))
    assert "2 runs: 2 not begun; go on by" in " ".join(lines[-1])


def test_a_folder_without_an_experiment_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        status(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no experiment was begun there: begin it with `mocha-lightning run FILE`, or "
        "give the file, name or folder of another"
    )


@pytest.mark.parametrize(
    "spoil",
    [
        *(lambda _, text=text: text for text in ("", "{}", "[]", "null", "[" * 100_000)),
        lambda whole: whole[:-3],
        *(
            lambda whole, key=key: whole.replace(f'"{key}"', '"other"')
            for key in ("metrics", "variant", "ended")
        ),
    ],
    ids=range(9),
)
def test_an_empty_or_half_result_is_not_done(
    toy_file: ExperimentFile, tmp_path: Path, spoil: Callable[[str], str]
) -> None:
    record(load_experiment(toy_file(seeds=[0])), tmp_path)
    run = run_folder(tmp_path, "plain", 0)
    (run / "result.json").write_text(spoil(finish(run)))
    # A narrow table folds the words.
    lines = [" ".join(line) for line in status(tmp_path)]
    said = " ".join(lines)
    assert "plain seed 0 broken result: result.json is no whole result: remove it" in said
    assert "2 runs: 1 broken result, 1 not begun" in lines[-1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"metric": "x"}, "metric: "), ({"seeds": 3}, "seeds: "), ({"variants": []}, "variants: ")],
)
def test_a_damaged_experiment_is_named_by_file_and_line(
    toy_file: ExperimentFile, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    toy_file(**changes).rename(folder / "experiment.yaml")
    with pytest.raises(UserError) as caught:
        status(folder)
    message = str(caught.value)
    assert message.startswith(f"{folder}/experiment.yaml:")
    assert said in message
    assert "run the experiment again to have it written" in message
    assert "\n" not in message
