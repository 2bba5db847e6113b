"""Runs on a Ray cluster, whatever happens to it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiment.executors.cluster import Machines, kill, once_saved, once_saved_each, workers_of
from experiment.running import TOY, WANDERING, bits, slowly, write_toy
from mocha_lightning.errors import UserError
from mocha_lightning.experiment import runner
from mocha_lightning.experiment.commit import git_state
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.sources import source_files
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

pytest.importorskip("ray", reason="Ray is not installed (the extra ray)")

from mocha_lightning.experiment.executors import on_ray, ray_nodes
from mocha_lightning.experiment.executors.on_ray import Ray
from mocha_lightning.experiment.executors.ray_nodes import Request, sign_in

SLOW = slowly(WANDERING, 0.15)


@pytest.fixture
def cluster(machines: Machines) -> Machines:
    machines.fill()
    return machines


def ray_of(cluster: Machines, folder: Path, **asked: Any) -> Ray:
    request = replace(Request(cluster.address), **asked)
    return Ray(request, folder, DISABLED, source_files(SLOW.config), git_state())


def ignore(runs: Sequence[Run]) -> None:
    pass


def begun(run: Path) -> int:
    """How often a run was begun, or gone on with."""
    return (run / "log.txt").read_text().count("--- 2")


def test_a_cluster_of_the_commands_own_outlives_its_terminal_until_the_runs_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def begin(*_: Any, **__: Any) -> None:
        blocked.append(signal.SIGHUP in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    blocked: list[bool] = []
    monkeypatch.setattr(ray_nodes.ray, "init", begin)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ray_nodes.connect("local", "a folder")
    assert blocked == [True]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_whatever_of_the_cluster_is_lost_a_run_comes_to_the_bits_of_one_that_was_left_alone(
    done: Path, cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its node with all that goes on there, its worker, and the keeper of its results."""
    monkeypatch.setattr(runner, "RETRY_SECONDS", (0.1, 0.2))
    executor = ray_of(cluster, tmp_path, gather="always")
    watch = once_saved_each(
        lambda: cluster.lose_that_of(SLOW.name),
        lambda: kill(workers_of(SLOW.name)),
        lambda: kill(workers_of("Keeper")),
    )
    # So slow that every checkpoint is brought back before the next.
    (run,) = run_all([slowly(WANDERING, 0.5)], tmp_path, 1, executor, watch)
    assert (run.state, begun(run.folder)) == (State.DONE, 4)
    assert bits(run.folder) == bits(done)
    assert not list(tmp_path.glob(".seen-*"))


def test_what_a_killed_command_left_is_cleared_away_and_nothing_else(tmp_path: Path) -> None:
    with sign_in(tmp_path) as other:
        old = tmp_path / ".seen-old"
        old.mkdir()
        (old / ".lock").touch()
        with sign_in(tmp_path) as own:
            assert set(tmp_path.iterdir()) == {other, own}
    assert not list(tmp_path.iterdir())


def test_a_command_that_is_killed_goes_on_where_it_stood(
    done: Path, cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, trainer = SLOW.config["task"], {**TOY["trainer"], "gradient_clip_val": 1.0}
    variants = {"plain": SLOW.differences}
    write_toy(tmp_path, task=task, trainer=trainer, variants=variants, comparisons=[])
    command = ["run", "toy.yaml", "--wandb", "disabled", "--seeds", "0"]
    places = ["--executor", "ray", "--address", cluster.address]
    first = subprocess.Popen(
        [sys.executable, "-m", "mocha_lightning", *command, *places],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    folder = tmp_path / "runs" / "toy"
    run = run_folder(folder, "plain", 0)
    while not read_progress(run).saved:
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.1)
    first.kill()
    first.communicate()
    deadline = time.monotonic() + 60
    while is_busy(run):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not (run / "result.json").exists()
    monkeypatch.chdir(tmp_path)
    (again,) = run_all([RunSpec.read(run)], folder, 1, ray_of(cluster, folder), ignore)
    assert (again.state, begun(run)) == (State.DONE, 2)
    assert bits(run) == bits(done)


def test_a_node_with_other_versions_is_refused(
    cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = ray_nodes.installed()
    monkeypatch.setattr(ray_nodes, "installed", lambda: {**true, "torch": "1.0"})
    said = rf"has torch {true['torch']} and this command 1\.0, so results would not be comparable"
    with pytest.raises(UserError, match=said.replace("+", r"\+")):
        ray_of(cluster, tmp_path)


def test_being_asked_to_stop_means_what_it_did_before_joining(
    cluster: Machines, tmp_path: Path
) -> None:
    heard = signal.getsignal(signal.SIGTERM)
    ray_of(cluster, tmp_path).stop()
    assert signal.getsignal(signal.SIGTERM) is heard


def test_what_no_node_has_is_said_at_once(cluster: Machines, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"--gpus-per-run 0\.5: no node of the Ray cluster can ever"
    ):
        ray_of(cluster, tmp_path, gpus=0.5)


def test_a_node_that_does_not_see_the_folder_is_refused_where_nothing_is_brought_back(
    cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = ray_nodes.installed()
    monkeypatch.setattr(ray_nodes, "_look", lambda: lambda *_: (true, False))
    with pytest.raises(UserError, match=r"cannot see .*: put --runs where all nodes see it, or"):
        ray_of(cluster, tmp_path, gather="never")


def test_a_cluster_that_cannot_be_begun_here_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    def init(*_: object, **__: object) -> None:
        raise RuntimeError("\nThe current node timed out during startup.\nMore")

    monkeypatch.setattr(ray, "init", init)
    said = "no Ray cluster can be begun on this machine: The current node timed out during startup:"
    with pytest.raises(UserError, match=said):
        Ray(Request(), tmp_path, DISABLED, {}, {})


def test_a_head_that_is_gone_is_told_in_a_line(
    cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(runner, "RETRY_SECONDS", (0.1, 0.2))
    executor = ray_of(cluster, tmp_path)
    with pytest.raises(UserError, match="the head of the Ray cluster is gone: begin it again"):
        run_all([SLOW], tmp_path, 1, executor, once_saved(1, cluster.lose_head))
