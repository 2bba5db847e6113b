"""What a watcher sees."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from experiment.running import toy_spec
from mocha_lightning.experiment import board as board_module
from mocha_lightning.experiment import clock as clock_module
from mocha_lightning.experiment.board import Board
from mocha_lightning.experiment.clock import Clock
from mocha_lightning.experiment.pace import duration
from mocha_lightning.experiment.progress import Progress, read_progress, write_progress
from mocha_lightning.experiment.runner import Run, State


class Time:
    """A clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        for module in (board_module, clock_module):
            monkeypatch.setattr(module.time, "monotonic", lambda: self.now)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """Four runs of 20 steps each."""
    found = []
    for seed in range(4):
        folder = tmp_path / f"seed-{seed}"
        folder.mkdir()
        found.append(Run(toy_spec(seed=seed), folder))
    return found


def at(
    run: Run,
    step: int,
    phase: str = "training",
    error: float | None = None,
    best: float | None = None,
) -> None:
    last, least = ({} if each is None else {"val/error": each} for each in (error, best))
    write_progress(run.folder, Progress(phase, step, 20, last, least))


def console(*, terminal: bool, height: int = 30) -> Console:
    return Console(
        file=io.StringIO(), force_terminal=terminal, width=80, height=height, color_system=None
    )


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_time_left_follows_the_speed_of_training(time: Time, runs: list[Run]) -> None:
    clock = Clock(jobs=2)
    progress = {run.name: Progress("training", 0, 20) for run in runs}
    assert clock.left_of_all(runs, progress) is None
    for run in runs[:2]:
        run.state = State.RUNNING
        # Gone on from step 10: what was done before this session says nothing of its speed.
        progress[run.name] = Progress("training", 10, 20)
        clock.see(run, progress[run.name])
    assert clock.left(runs[0], progress[runs[0].name]) is None
    time.now += 10
    for run in runs[:2]:
        progress[run.name] = Progress("training", 15, 20)
        clock.see(run, progress[run.name])
    # 2 seconds a step; 5 + 5 + 20 + 20 steps are left for two at once.
    assert clock.left(runs[0], progress[runs[0].name]) == 10
    assert clock.left_of_all(runs, progress) == 50


def test_steps_that_are_made_again_are_no_time_won(time: Time, runs: list[Run]) -> None:
    """A run that was stopped goes on from its last validation, before what it had said last."""
    clock = Clock(jobs=1)
    runs[0].state = State.RUNNING
    progress = {run.name: Progress("training", 0, 20) for run in runs}
    for step, seconds in ((13, 5), (10, 5), (15, 0)):
        progress[runs[0].name] = Progress("training", step, 20)
        clock.see(runs[0], progress[runs[0].name])
        time.now += seconds
    assert clock.left(runs[0], progress[runs[0].name]) == 5


def test_no_time_is_less_than_none(time: Time, runs: list[Run]) -> None:
    """Another command may do a run of more steps in the same folder."""
    clock = Clock(jobs=1)
    runs[0].state = State.RUNNING
    for step in (0, 30):
        progress = {run.name: Progress("training", step, 30) for run in runs}
        clock.see(runs[0], progress[runs[0].name])
        time.now += 10
    assert clock.left(runs[0], progress[runs[0].name]) == 0
    # Not 0 s: how long the runs are tested yet is known of none.
    at_work = runs[:1]
    assert clock.left_of_all(at_work, progress) is None


def test_a_run_that_waits_goes_on_from_its_checkpoint(time: Time, runs: list[Run]) -> None:
    """What it had made after that is made again."""
    clock = Clock(jobs=2)
    runs[0].state = State.RUNNING
    for step in (0, 10):
        progress = {run.name: Progress("training", step, 20, saved=5) for run in runs[:2]}
        clock.see(runs[0], progress[runs[0].name])
        time.now += 10
    assert clock.left_of_all(runs[:2], progress) == 15 * 2


def test_before_any_step_the_time_left_follows_earlier_sessions(
    time: Time, runs: list[Run]
) -> None:
    """Of which one run is done, 20 steps in 60 s."""
    progress = {run.name: Progress() for run in runs}
    progress[runs[0].name] = Progress("done", 20, 20, seconds=60)
    runs[0].state = State.DONE
    assert Clock(jobs=2).left_of_all(runs, progress) == 3 * 20 * 3 / 2


def test_the_last_run_takes_its_time_however_many_jobs_there_are(
    time: Time, runs: list[Run]
) -> None:
    clock = Clock(jobs=100)
    runs[0].state = State.RUNNING
    progress = {run.name: Progress("training", 0, 20) for run in runs}
    clock.see(runs[0], progress[runs[0].name])
    time.now += 10
    progress[runs[0].name] = Progress("training", 10, 20)
    assert clock.left_of_all(runs, progress) == 20


@pytest.mark.parametrize(
    ("seconds", "said"), [(3.2, "3 s"), (99, "99 s"), (120, "2 min"), (7200, "2.0 h")]
)
def test_time_is_said_as_people_say_it(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_elsewhere_than_on_a_terminal_each_change_is_a_line(time: Time, runs: list[Run]) -> None:
    out = console(terminal=False)
    runs[3].state = State.DONE
    with Board(out, 2, "val/error") as board:
        board(runs)
        assert shown(out) == ""
        runs[0].state = runs[1].state = State.RUNNING
        at(runs[0], 0)
        board(runs)
        board(runs)
        time.now += 20
        at(runs[0], 20, "done", error=0.5, best=0.25)
        runs[0].state = State.DONE
        board(runs)
        runs[1].state, runs[1].problem = State.FAILED, "exit code 1: no luck"
        board(runs)
        at(runs[2], 7, "diverged")
        runs[2].state = State.DONE
        board(runs)
    assert shown(out).splitlines() == [
        "[1/4] plain seed 0: running",
        "[1/4] plain seed 1: running",
        "[2/4] plain seed 0: done, best val/error 0.25, about 20 s left",
        "[3/4] plain seed 1: failed, exit code 1: no luck",
        "[4/4] plain seed 2: diverged",
    ]


def test_on_a_terminal_a_table_shows_every_run(time: Time, runs: list[Run]) -> None:
    out = console(terminal=True)
    runs[0].state = State.RUNNING
    at(runs[0], 0)
    with Board(out, 1, "val/error") as board:
        board(runs)
        time.now += 10
        at(runs[0], 5, error=0.25, best=0.125)
        board(runs)
    picture = shown(out)
    assert "run           state     steps  val/error  best so far  left" in picture
    assert "plain seed 0  training   5/20       0.25        0.125  30 s" in picture
    assert "plain seed 3  waiting    0/20" in picture
    assert "0 of 4 runs, about 2 min left" in picture


def test_why_a_run_pauses_is_said(runs: list[Run]) -> None:
    runs[1].state, runs[1].problem = State.PAUSING, "killed by SIGKILL; it goes on in 10 s"
    for terminal in (False, True):
        out = console(terminal=terminal)
        with Board(out, 1, "val/error") as board:
            board(runs)
        assert "plain seed 1: " in shown(out)
        assert "killed by SIGKILL; it goes on in 10 s" in shown(out)


def test_what_a_run_does_is_said_in_one_word(runs: list[Run]) -> None:
    out = console(terminal=True)
    for run in runs[:3]:
        run.state = State.RUNNING
    at(runs[1], 20, "testing")
    # It failed when it was tried before.
    at(runs[2], 3, "failed")
    runs[3].state = State.DONE
    at(runs[3], 7, "diverged")
    with Board(out, 1, "val/error") as board:
        board(runs)
    lines = [line.split() for line in shown(out).splitlines() if "seed" in line]
    assert [line[3] for line in lines[-4:]] == ["starting", "testing", "starting", "diverged"]


def test_a_low_window_shows_the_runs_at_work_and_counts_the_rest(
    time: Time, runs: list[Run]
) -> None:
    out = console(terminal=True, height=6)
    runs[2].state = State.RUNNING
    with Board(out, 1, "val/error") as board:
        board(runs)
    assert "plain seed 2" in shown(out)
    assert "plain seed 3" not in shown(out)
    assert "0 of 4 runs" in shown(out)


def test_only_the_runs_at_work_are_read_again(
    time: Time, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred others would take more time than the one."""
    read: list[Path] = []

    def note(folder: Path) -> Progress:
        read.append(folder)
        return read_progress(folder)

    monkeypatch.setattr(board_module, "read_progress", note)
    runs[0].state, runs[1].state = State.RUNNING, State.ELSEWHERE
    at(runs[0], 0)
    with Board(console(terminal=True), 1, "val/error") as board:
        board(runs)
        assert read == [run.folder for run in runs]
        read.clear()
        time.now += 100
        board(runs)
        assert read == [runs[0].folder, runs[1].folder]
        read.clear()
        runs[0].state, runs[2].state = State.DONE, State.RUNNING
        time.now += 100
        board(runs)
        assert read == [run.folder for run in runs[:3]]


def test_a_change_that_is_printed_is_looked_at_by_itself(
    time: Time, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And at once, whenever the next look at all is due."""
    out = console(terminal=False)
    with Board(out, 1, "val/error") as board:
        for run in runs:
            run.state = State.RUNNING
        board(runs)
        read: list[Path] = []
        monkeypatch.setattr(
            board_module, "read_progress", lambda folder: read.append(folder) or Progress()
        )
        runs[1].state = State.DONE
        board(runs)
    assert read == [runs[1].folder]
    assert shown(out).splitlines()[-1].startswith("[1/4] plain seed 1: done")


def test_a_table_ends_as_things_ended(time: Time, runs: list[Run]) -> None:
    """Though the next look was not due."""
    out = console(terminal=True)
    with Board(out, 1, "val/error") as board:
        board(runs)
        for run in runs:
            run.state = State.DONE
        board(runs)
        assert "4 of 4 runs" not in shown(out)
    assert "4 of 4 runs" in shown(out)


def test_looking_takes_half_a_hundredth_of_the_time(
    time: Time, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many lines the table has."""
    used = [0.0, 0.025, 0.025, 0.05]
    monkeypatch.setattr(board_module.time, "process_time", lambda: used.pop(0))
    with Board(console(terminal=True), 1, "val/error") as board:
        board(runs)
        time.now += 4.9
        board(runs)
        assert len(used) == 2
        time.now += 0.2
        board(runs)
        assert not used


def test_a_run_without_progress_is_not_begun(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text('{"phase": "trai')
    out = console(terminal=True)
    run = Run(toy_spec(), tmp_path, State.RUNNING)
    with Board(out, 1, "val/error") as board:
        board([run])
    assert "0/20" in shown(out)
