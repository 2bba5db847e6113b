"""A study on a PostgreSQL server: a real one, begun for these tests."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.classes import class_paths
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.runner import Run, State, run_growing
from mocha_lightning.experiment.server import begin_server
from mocha_lightning.sweep.definition import load_sweep
from mocha_lightning.sweep.storage import open_storage
from mocha_lightning.tracking.settings import DISABLED

from .conftest import SweepFile, begin, do

# Meant: most sweeps need no server, and whoever has none tests the rest.
pytest.importorskip("psycopg", reason="no psycopg here: pip install 'mocha-lightning[postgres]'")

from .postgres import AbsentError, Server, private_server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    try:
        with private_server() as server:
            yield server
    except AbsentError as absent:
        # Meant: a server is nothing that pip brings, and whoever has none sweeps in files.
        pytest.skip(str(absent))


def _command(path: Path, folder: Path, storage: str) -> None:
    do(path, folder, storage)
    os._exit(0)


def test_of_two_commands_at_once_one_is_killed_and_the_other_does_all_that_is_left(
    sweep_file: SweepFile, tmp_path: Path, server: Server
) -> None:
    slow = {"task": {"class_path": "experiment.toy.ToyTask", "init_args": {"step_seconds": 0.1}}}
    path, folder = sweep_file(slow, trials=6, seeds=[0]), tmp_path / "runs"
    sweep = load_sweep(path)
    # It imports while the other command does.
    begin_server(sweep.experiment.threads, class_paths(sweep.variant.config), DISABLED)
    spawn = multiprocessing.get_context("spawn")
    other = spawn.Process(target=_command, args=(path, folder, server.url()))
    other.start()
    while not list(folder.glob("trial-*/seed-0/checkpoints/last.ckpt")):
        assert other.is_alive()
        time.sleep(0.05)
    search = begin(sweep, folder, server.url())
    study = optuna.load_study(study_name="rate", storage=open_storage(server.url(), folder))

    def kill(runs: Sequence[Run]) -> None:
        at_work = sum(trial.state is TrialState.RUNNING for trial in study.trials)
        here = any(run.state is State.RUNNING for run in runs)
        if here and at_work > len(search.in_hand) and other.is_alive():
            assert other.pid is not None
            os.kill(other.pid, signal.SIGKILL)
            other.join()

    try:
        runs = run_growing(search, folder, 2, Processes(DISABLED), kill)
    finally:
        other.kill()
        other.join()
    assert other.exitcode == -signal.SIGKILL
    assert {run.state for run in runs} == {State.DONE}
    assert [(trial.number, trial.state) for trial in study.trials] == [
        (number, TrialState.COMPLETE) for number in range(6)
    ]
    assert len(list(folder.glob("trial-*/seed-0/result.json"))) == 6
    assert do(path, folder, server.url()) == []


def test_a_study_outlives_its_server_s_restart(
    sweep_file: SweepFile, tmp_path: Path, server: Server
) -> None:
    study = begin(load_sweep(sweep_file(), name="restart"), tmp_path / "runs", server.url()).study
    held = study.take()
    assert held is not None
    server.end()
    with pytest.raises(UserError, match=r"storage postgresql.*:\*\*\*@.*: see that it can be"):
        study.take()
    server.begin()
    taken = study.take()
    assert taken is not None
    assert (held.trial.number, taken.trial.number) == (0, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"password": "wrong"},
            'password authentication failed for user "sweeper": mend the user or the password',
        ),
        ({"database": "none"}, 'database "none" does not exist: make it, or mend the URL'),
    ],
)
def test_a_server_that_does_not_let_in(
    sweep_file: SweepFile, tmp_path: Path, server: Server, changes: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError, match=said) as caught:
        begin(load_sweep(sweep_file()), tmp_path / "runs", server.url(**changes))
    assert str(caught.value).startswith(
        f"storage postgresql+psycopg://sweeper:***@127.0.0.1:{server.port}/"
    )
    assert "\n" not in str(caught.value)


def test_a_server_that_does_not_answer(sweep_file: SweepFile, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Connection refused.*: see that it can be reached"):
        begin(load_sweep(sweep_file()), tmp_path / "runs", "postgresql+psycopg://a:b@127.0.0.1:1/c")
