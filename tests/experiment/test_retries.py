"""A run that died of the machine's fault is gone on with; one that failed by itself is not."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from experiment.running import WANDERING, bits, toy_spec
from mocha_lightning.experiment import runner
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.exits import DONE, FAILED, MISTAKE, STOPPED, is_machine_fault
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

SLOW = toy_spec(step_seconds=0.2)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RETRY_SECONDS", (0.1, 0.2))


def killing(number: int, times: int = 1) -> Callable[[Sequence[Run]], None]:
    """Has a run's process get a signal when it is at work, so many times."""
    killed: list[int] = []

    def watch(runs: Sequence[Run]) -> None:
        job = runs[0].job
        process = job.process if job else None
        if process is None or process.pid is None or process.pid in killed:
            return
        if len(killed) < times and is_busy(runs[0].folder):
            killed.append(process.pid)
            os.kill(process.pid, number)

    return watch


def ignore(runs: Sequence[Run]) -> None:
    pass


def log_of(folder: Path, spec: RunSpec) -> str:
    return (run_folder(folder, spec.variant, spec.seed) / "log.txt").read_text()


def test_a_run_that_is_killed_goes_on_by_itself(done: Path, tmp_path: Path) -> None:
    """As the system kills one where memory runs out; it ends with the bits of one that lived."""
    (run,) = run_all([WANDERING], tmp_path, 1, Processes(DISABLED), killing(signal.SIGKILL))
    assert run.state is State.DONE
    assert bits(run.folder) == bits(done)
    _, said, _ = (line for line in log_of(tmp_path, WANDERING).splitlines() if "--- " in line)
    assert said.startswith("--- killed by SIGKILL")
    assert said.endswith("; it goes on from its last validation in 0.1 s (try 2 of 3)")


def test_a_run_that_gets_nowhere_is_given_up(tmp_path: Path) -> None:
    states: list[State] = []
    kill = killing(signal.SIGKILL, times=9)

    def watch(runs: Sequence[Run]) -> None:
        kill(runs)
        states.append(runs[0].state)

    (run,) = run_all([SLOW], tmp_path, 1, Processes(DISABLED), watch)
    assert run.state is State.FAILED
    assert run.problem.startswith("killed by SIGKILL (by somebody, or by the system where memory")
    assert run.problem.endswith(", 3 times since its last checkpoint")
    assert log_of(tmp_path, SLOW).count("--- 2") == 3
    assert State.PAUSING in states


def test_a_checkpoint_in_between_is_getting_somewhere(tmp_path: Path) -> None:
    run = Run(SLOW, tmp_path)
    for saved, state in (
        (0, State.PAUSING),
        (0, State.PAUSING),
        (5, State.PAUSING),
        (5, State.PAUSING),
        (5, State.FAILED),
    ):
        write_progress(tmp_path, Progress("training", saved + 1, 20, saved=saved))
        runner._collect(run, -signal.SIGKILL)
        assert run.state is state


def test_others_use_the_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RETRY_SECONDS", (1000.0,))
    kill = killing(signal.SIGKILL)
    during: list[State] = []

    def watch(runs: Sequence[Run]) -> None:
        kill(runs)
        if runs[0].state is State.PAUSING:
            during.append(runs[1].state)
            if runs[1].state is State.DONE:
                runs[0].ready_at = 0.0

    runs = run_all([toy_spec(), toy_spec(seed=1)], tmp_path, 1, Processes(DISABLED), watch)
    assert [run.state for run in runs] == [State.DONE, State.DONE]
    assert during[-1] is State.DONE


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        ({"fail_at": 3}, "RuntimeError: the toy was told to fail"),
        ({"full_at": 3}, "No space left on device: make room or give access"),
        ({"broken_disk_at": 3}, "OSError: [Errno 5] Input/output error"),
    ],
)
def test_what_a_run_says_itself_would_come_again(
    task: dict[str, int], problem: str, tmp_path: Path
) -> None:
    spec = toy_spec(**task)
    (run,) = run_all([spec], tmp_path, 1, Processes(DISABLED), ignore)
    assert run.state is State.FAILED
    assert problem in run.problem
    assert log_of(tmp_path, spec).count("--- ") == 1


def test_a_run_that_was_asked_to_stop_is_not_begun_again(tmp_path: Path) -> None:
    (run,) = run_all([SLOW], tmp_path, 1, Processes(DISABLED), killing(signal.SIGTERM))
    assert run.state is State.FAILED
    assert "stopped; the same command goes on" in run.problem


def test_a_run_that_diverged_is_done_and_not_tried_again(tmp_path: Path) -> None:
    spec = toy_spec(nan_from=7)
    (run,) = run_all([spec], tmp_path, 1, Processes(DISABLED), ignore)
    assert run.state is State.DONE
    assert log_of(tmp_path, spec).count("--- ") == 1


def test_a_run_is_gone_on_with_that_was_lost_with_what_it_was_a_fork_of(tmp_path: Path) -> None:
    """That process is large, too, and may be what a system kills; Python's 255 says so."""
    run = Run(SLOW, tmp_path)
    runner._collect(run, 255)
    assert run.state is State.PAUSING
    assert run.problem.startswith("lost together with the process that all runs come from")


def test_only_death_is_a_machine_s_fault() -> None:
    assert is_machine_fault(-signal.SIGBUS)
    assert not any(map(is_machine_fault, (DONE, FAILED, MISTAKE, STOPPED)))


def test_a_result_that_somebody_else_has_spoilt_stops_no_other_run(tmp_path: Path) -> None:
    """Another runner did this run, and left half a result."""
    spoilt = Run(SLOW, tmp_path, State.ELSEWHERE)
    (tmp_path / "result.json").write_text("{}")
    runner._settle(spoilt, State.WAITING)
    assert spoilt.state is State.FAILED
    assert "is no whole result" in spoilt.problem
