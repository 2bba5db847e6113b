"""Runs in the process that asks for them."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from experiment.running import WANDERING, bits, toy_spec
from mocha_lightning.experiment.executors.serial import Serial
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.tracking import DISABLED


def ignore(runs: Sequence[Run]) -> None:
    pass


def test_it_comes_to_the_bits_of_a_process_of_its_own(done: Path, tmp_path: Path) -> None:
    """Also where another run went before."""
    specs = [toy_spec(seed=1), WANDERING]
    runs = run_all(specs, tmp_path, 1, Serial(DISABLED), ignore)
    assert [run.state for run in runs] == [State.DONE, State.DONE]
    assert bits(runs[1].folder) == bits(done)


def test_a_run_that_fails_says_so_in_its_log_and_does_not_stop_the_others(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    specs = [toy_spec(fail_at=3), toy_spec(seed=1)]
    bad, good = run_all(specs, tmp_path, 1, Serial(DISABLED), ignore)
    assert (bad.state, good.state) == (State.FAILED, State.DONE)
    assert "exit code 1: RuntimeError: the toy was told to fail" in bad.problem
    assert "Traceback" in (bad.folder / "log.txt").read_text()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_stopped_goes_on_later(
    number: signal.Signals, done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiment.toy.die_here", stop_at(12, number))
    # Under nohup one of them is ignored, and would stay so.
    earlier = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_all([WANDERING], tmp_path, 1, Serial(DISABLED), ignore)
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, earlier)
    (log,) = tmp_path.rglob("log.txt")
    assert log.read_text().rstrip().endswith("the same command goes on from the last checkpoint")
    assert not is_busy(log.parent)
    monkeypatch.undo()
    (run,) = run_all([WANDERING], tmp_path, 1, Serial(DISABLED), ignore)
    assert bits(run.folder) == bits(done)


def stop_at(step: int, number: signal.Signals):  # type: ignore[no-untyped-def]
    """What a step of the toy calls first."""

    def stop(phase: str, at: int, process: int) -> None:
        if (phase, at) == ("training", step):
            os.kill(os.getpid(), number)

    return stop
