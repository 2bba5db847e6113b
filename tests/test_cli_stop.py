"""What asks a command and all its processes to stop: Ctrl-C, once and twice, and others."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from experiment.running import TOY, write_toy

from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.runner import State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

# SIGINT as in a terminal's foreground, also where these tests run in a shell's background.
COMMAND = """
import signal
from mocha_lightning.cli import main
from mocha_lightning.experiment.executors import process
# However slow the machine, a run that answers stops within it, and one that is killed long before.
process.GRACE_SECONDS = 150
signal.signal(signal.SIGINT, signal.default_int_handler)
main(["run", "toy.yaml", "--wandb", "disabled", "--jobs", "2", "--seeds", "0"])
"""


@pytest.fixture
def begun(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """The command, once both its runs are at work."""
    slow = {**TOY["task"], "init_args": {"step_seconds": 0.3}}
    write_toy(tmp_path, task=slow)
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as process:
        deadline = time.monotonic() + 180
        while not all((run / "curves.jsonl").exists() for run in runs(tmp_path)):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield process
        process.kill()


def runs(folder: Path) -> list[Path]:
    return [folder / "runs" / "toy" / variant / "seed-0" for variant in TOY["variants"]]


def children(pid: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def press_ctrl_c(process: "subprocess.Popen[str]") -> None:
    """As a terminal does: to every process of the group."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGINT, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, id="timeout ends it"),
    ],
)
def test_once_has_the_runs_stop_by_themselves(
    number: signal.Signals, begun: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    os.killpg(begun.pid, number)
    assert begun.stderr is not None
    assert [begun.stderr.readline().rstrip() for _ in range(3)] == [
        "Stopping the runs (Ctrl-C again kills them). Each will go on from its last validation.",
        "",
        "Stopped. The same command goes on where it stood.",
    ]
    # All is over but what libraries do as the interpreter ends.
    press_ctrl_c(begun)
    _, rest = begun.communicate(timeout=180)
    assert (begun.returncode, rest) == (130, "")
    for run in runs(tmp_path):
        assert not is_busy(run)
        log = (run / "log.txt").read_text()
        assert log.rstrip().endswith("goes on from the last checkpoint")
        assert "Traceback" not in log
    specs = [RunSpec.read(run) for run in runs(tmp_path)]
    again = run_all(specs, tmp_path / "runs" / "toy", 2, Processes(DISABLED), lambda _: None)
    assert [run.state for run in again] == [State.DONE, State.DONE]


def test_twice_kills_runs_that_do_not_answer(
    begun: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    at_work = [run for server in children(begun.pid) for run in children(server)]
    assert len(at_work) == 2
    for run in at_work:
        os.kill(run, signal.SIGSTOP)
    press_ctrl_c(begun)
    assert begun.stderr is not None
    assert begun.stderr.readline().startswith("Stopping the runs")
    before = time.monotonic()
    press_ctrl_c(begun)
    _, said = begun.communicate(timeout=180)
    # Much sooner than the time that runs are given to stop by themselves.
    assert time.monotonic() - before < 75
    assert begun.returncode == 130
    assert "Traceback" not in said
    assert said.endswith("Stopped. The same command goes on where it stood.\n")
    assert not any(is_busy(run) for run in runs(tmp_path))


def test_runs_die_with_a_command_that_is_killed(
    begun: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    begun.kill()
    begun.wait()
    deadline = time.monotonic() + 180
    while any(is_busy(run) for run in runs(tmp_path)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not list(tmp_path.rglob("result.json"))
