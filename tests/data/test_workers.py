"""Work by several processes: in order, without torch, and never longer than it is wanted."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from mocha_lightning.data import workers
from mocha_lightning.data.workers import cores, in_order
from mocha_lightning.errors import UserError

# What other processes import by the name of this module.
MODULES = {"torch", "pytorch_lightning", "scipy", "pandas"}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have processes started without a second of waiting."""
    monkeypatch.setattr(workers, "ALONE_SECONDS", 0.0)


def process_of(_: int) -> int:
    return os.getpid()


def late_if_even(number: int) -> int:
    time.sleep(0.02 * (number % 2 == 0))
    return number * number


def refuse(number: int, refused: int) -> int:
    if number == refused:
        raise UserError(f"{number} will not do: take another")
    return number


def divide(number: int) -> float:
    print("said on the standard output, which is none of the answers")
    return 1 / number


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def imported_for_reading(_: int) -> list[str]:
    import mocha_lightning.data.recording  # noqa: F401

    return sorted(MODULES & set(sys.modules))


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_the_order_of_the_items(at_once: None, processes: int) -> None:
    found = list(in_order(late_if_even, range(40), processes))
    assert found == [(number, number * number) for number in range(40)]


def test_several_processes_do_it_and_this_one_does_not(at_once: None) -> None:
    found = {process for _, process in in_order(process_of, range(60), 2)}
    assert len(found) == 2
    assert os.getpid() not in found


def test_what_is_done_in_a_moment_is_done_by_this_process() -> None:
    assert dict(in_order(process_of, range(3), 4)) == dict.fromkeys(range(3), os.getpid())
    assert list(in_order(process_of, [], 4)) == []


def test_items_are_drawn_a_few_ahead(at_once: None) -> None:
    drawn = []
    items = (drawn.append(number) or number for number in range(1000))
    with closing(in_order(process_of, items, 2)) as found:
        for _ in range(10):
            next(found)
    assert 10 <= len(drawn) <= 10 + 2 * workers.AHEAD


def test_reading_recordings_needs_no_torch(at_once: None) -> None:
    assert list(in_order(imported_for_reading, [0], 2)) == [(0, [])]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_mistake_is_told_as_it_was_said(at_once: None, processes: int) -> None:
    found = []
    with pytest.raises(UserError, match=r"^5 will not do: take another$"):
        found += in_order(partial(refuse, refused=5), range(9), processes)


def test_another_error_is_told_with_its_place(at_once: None) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)return 1 / number.*ZeroDivisionError"):
        list(in_order(divide, [2, 1, 0], 2))


def test_a_process_that_is_killed_is_one_line(at_once: None) -> None:
    with pytest.raises(UserError, match=r"killed by SIGKILL \(signal 9\).*--jobs") as error:
        list(in_order(die, range(9), 2))
    assert "\n" not in str(error.value)


def test_processes_end_when_the_work_is_left(at_once: None) -> None:
    with closing(in_order(process_of, range(1000), 2)) as found:
        process = next(found)[1]
    assert not Path(f"/proc/{process}").exists()


SLEEPER = """
import time
from mocha_lightning.data import workers
workers.ALONE_SECONDS = 0.0
for _, process in workers.in_order(time.sleep, [0, 0, 1000], 2):
    print("at work", flush=True)
"""


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return False
    return not state.startswith("Z")


def idle_workers_end(pids: list[int]) -> bool:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        alive = [pid for pid in pids if is_alive(pid)]
        if len(alive) <= 1:  # the one that sleeps cannot know yet
            for pid in alive:
                os.kill(pid, signal.SIGKILL)
            return True
        time.sleep(0.05)
    return False


def test_processes_end_with_the_one_they_work_for() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"at work\n"
        assert process.stdout.readline() == b"at work\n"
        at_work = children(process.pid)
        assert len(at_work) == 2
        process.kill()
        process.wait()
    assert idle_workers_end(at_work)


def test_the_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5})
    assert cores() == 3
