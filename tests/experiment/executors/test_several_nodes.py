"""A run by processes of several nodes is the run of as many processes of one."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from experiment.executors.cluster import Machines, descendants, kill, once_saved
from experiment.running import NOISY, bits, run_in_process, toy_spec
from mocha_lightning.errors import UserError
from mocha_lightning.experiment import runner
from mocha_lightning.experiment.commit import git_state
from mocha_lightning.experiment.executors.base import Executor
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.sources import source_files
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED


def spec(**trainer: int) -> RunSpec:
    """The toy's run with all that is random in it."""
    return toy_spec(
        mechanism=NOISY,
        trainer={"gradient_clip_val": 1.0, **trainer},
        learning_rate=1.0,
        weight_noise=0.02,
        step_seconds=0.2,
    )


OVER_NODES = spec(num_nodes=2)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The bits of two processes of one machine."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert run_in_process(spec(devices=2), folder) == 0
    return bits(folder)


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    # A process that a cluster begins is to find what the tests import.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setattr(runner, "RETRY_SECONDS", (0.1, 0.2))


def on_ray(machines: Machines, folder: Path, nodes: int = 2) -> Executor:
    from mocha_lightning.experiment.executors.on_ray import Ray
    from mocha_lightning.experiment.executors.ray_nodes import Request

    machines.fill()
    request = Request(machines.address, gather="always", nodes=nodes)
    return Ray(request, folder, DISABLED, source_files(OVER_NODES.config), git_state())


def test_two_nodes_of_a_ray_cluster_come_to_the_bits_of_two_processes_here(
    undisturbed: dict[str, Any], machines: Machines, tmp_path: Path
) -> None:
    """Though the second sees no folder of the first, and is lost; another takes its place."""

    def lose_second() -> None:
        machines.lose_that_of(f"{OVER_NODES.name} (node 2)")
        machines.fill()

    executor = on_ray(machines, tmp_path)
    (run,) = run_all([OVER_NODES], tmp_path, 1, executor, once_saved(1, lose_second))
    assert (run.state, run.deaths) == (State.DONE, 1), run.problem
    assert " (node 2 of 2) is lost, or what did its part of the run there" in log_of(run)
    assert bits(run.folder) == undisturbed


def log_of(run: Run) -> str:
    return (run.folder / "log.txt").read_text()


def test_more_nodes_than_a_ray_cluster_has_are_refused_at_once(
    machines: Machines, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="no 3 nodes of the Ray cluster can ever have that for a"):
        on_ray(machines, tmp_path, nodes=3)


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An executor whose jobs have two tasks of this machine, for want of two nodes."""
    submitit = pytest.importorskip("submitit", reason="submitit is not installed (the extra slurm)")
    from mocha_lightning.experiment.executors import on_slurm

    monkeypatch.setattr(submitit.Job, "_results_timeout_s", 0)
    monkeypatch.setattr(on_slurm, "on_nodes", lambda n: {"nodes": 1, "tasks_per_node": n})
    return lambda folder: on_slurm.Slurm(on_slurm.Request("local"), folder, DISABLED)


def lent() -> list[int]:
    """The processes that the second node of a job lends."""
    tasks = [
        pid
        for pid in descendants(os.getpid())
        if b"submitit.core._submit" in Path(f"/proc/{pid}/cmdline").read_bytes()
        and b"SUBMITIT_LOCAL_GLOBALID=1" in Path(f"/proc/{pid}/environ").read_bytes()
    ]
    servers = [
        pid
        for task in tasks
        for pid in descendants(task)
        if b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return [child for server in servers for child in descendants(server)]


def test_two_nodes_of_a_job_come_to_the_bits_of_two_processes_here(
    undisturbed: dict[str, Any], slurm: Any, tmp_path: Path
) -> None:
    """Also where a process of the second is killed."""
    watch = once_saved(1, lambda: kill(lent()))
    (run,) = run_all([OVER_NODES], tmp_path, 1, slurm(tmp_path), watch)
    assert (run.state, run.deaths) == (State.DONE, 1), run.problem
    assert " (node 2 of 2): process 2 of 2 was killed by SIGKILL" in log_of(run)
    assert bits(run.folder) == undisturbed
    assert not list(run.folder.glob(".door-*"))
