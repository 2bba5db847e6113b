"""What asks a process to stop."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from mocha_lightning.experiment import server
from mocha_lightning.experiment.exits import STOPPED
from mocha_lightning.experiment.run import stopping_once
from mocha_lightning.experiment.server import begin_server
from mocha_lightning.experiment.signals import STOPS, stops_wait
from mocha_lightning.tracking import DISABLED

BLOCKED = (
    "import signal; print(*(each.name for each in signal.pthread_sigmask(signal.SIG_BLOCK, [])))"
)


@pytest.fixture(params=STOPS)
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    """A signal, which does what Ctrl-C does."""
    usual = signal.signal(request.param, signal.default_int_handler)
    yield request.param
    signal.signal(request.param, usual)


def test_what_asks_to_stop_waits(number: int) -> None:
    seen = []

    def begin() -> None:
        with stops_wait():
            os.kill(os.getpid(), number)
            seen.append("all that had to be done first")

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert seen


def test_as_the_server_of_processes_begins_it_waits_too(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a Ctrl-C of that moment would be lost, or leave a server of which nobody knows."""
    monkeypatch.setattr(server, "ensure_running", lambda: os.kill(os.getpid(), number))
    with pytest.raises(KeyboardInterrupt):
        begin_server(1, (), DISABLED)


def test_processes_that_begin_leave_to_this_one_what_reaches_all_of_a_terminal() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with stops_wait():
        said = subprocess.check_output([sys.executable, "-c", BLOCKED], text=True)
    assert {"SIGINT", "SIGHUP"} <= {*said.split()}
    # By which a job of submitit's is cancelled.
    assert "SIGTERM" not in said.split()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_the_server_of_processes_leaves_to_this_one_whatever_reaches_a_whole_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a terminal that is closed, or timeout's SIGTERM, ends it, and nobody waits for runs."""
    blocked: list[set[int]] = []
    monkeypatch.setattr(
        server,
        "ensure_running",
        lambda: blocked.append({*signal.pthread_sigmask(signal.SIG_BLOCK, ())}),
    )
    begin_server(1, (), DISABLED)
    assert blocked[0] >= {*STOPS}


def test_a_run_that_is_asked_to_stop_again_while_it_stops_is_not_interrupted() -> None:
    hear = stopping_once()
    with pytest.raises(SystemExit) as ended:
        hear(signal.SIGTERM, None)
    assert ended.value.code == STOPPED
    hear(signal.SIGTERM, None)


def test_what_is_ignored_stays_so() -> None:
    """SIGHUP under nohup."""
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stops_wait():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, usual)
