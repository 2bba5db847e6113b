"""Runs as jobs, on submitit's local cluster."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from experiment.executors.cluster import descendants, kill, once_saved, once_saved_each
from experiment.running import WANDERING, bits, slowly, toy_spec
from mocha_lightning.errors import UserError
from mocha_lightning.experiment import runner
from mocha_lightning.experiment.executors.away import Errand, installed
from mocha_lightning.experiment.exits import FAILED, GONE
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.tracking import DISABLED

pytest.importorskip("submitit", reason="submitit is not installed (the extra slurm)")

from mocha_lightning.experiment.executors import on_slurm
from mocha_lightning.experiment.executors.on_slurm import Request, Slurm, SlurmJob, Submission

LOCAL = Request("local")
SLOW = slowly(WANDERING, 0.15)


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    import submitit

    # A job is a Python of its own, which is to find what the tests import.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    # What it waits for a file that a network may bring late.
    monkeypatch.setattr(submitit.Job, "_results_timeout_s", 0)
    monkeypatch.setattr(runner, "RETRY_SECONDS", (0.1, 0.2))


def jobs() -> list[int]:
    """The processes that SLURM would begin, below this one."""
    return [
        pid
        for pid in descendants(os.getpid())
        if b"submitit.core._submit" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def ignore(runs: Sequence[Run]) -> None:
    pass


def begun(run: Run) -> int:
    return (run.folder / "log.txt").read_text().count("--- 2")


def test_a_run_that_fails_in_its_job_says_so_in_its_log(tmp_path: Path) -> None:
    spec = toy_spec(fail_at=3)
    (run,) = run_all([spec], tmp_path, 1, Slurm(LOCAL, tmp_path, DISABLED), ignore)
    assert (run.state, begun(run)) == (State.FAILED, 1)
    assert "exit code 1: RuntimeError: the toy was told to fail" in run.problem


def test_whatever_becomes_of_a_job_its_run_comes_to_the_bits_of_one_that_was_left_alone(
    done: Path, tmp_path: Path
) -> None:
    """It is warned of its limit, and queued again; then it is killed, and given again."""

    def warn() -> None:
        """As SLURM may: all processes of the job."""
        for job in jobs():
            for process in [*descendants(job), job]:
                os.kill(process, signal.SIGUSR2)

    watch = once_saved_each(warn, lambda: kill(jobs()))
    (run,) = run_all([SLOW], tmp_path, 1, Slurm(LOCAL, tmp_path, DISABLED), watch)
    # The runner has noticed the second.
    assert (run.state, begun(run), run.deaths) == (State.DONE, 3, 1)
    assert bits(run.folder) == bits(done)


def test_a_job_that_slurm_has_end_leaves_it_to_slurm_whether_it_is_over(tmp_path: Path) -> None:
    """Jobs that it queues again (``scontrol requeue``, preemption) are told to end, too."""

    def end() -> None:
        """As SLURM does: all processes of the job."""
        for job in jobs():
            assert not list(tmp_path.rglob("*_result.pkl"))
            for process in [*descendants(job), job]:
                os.kill(process, signal.SIGTERM)

    def look(runs: Sequence[Run]) -> None:
        end_once(runs)
        if runs[0].deaths:
            results.extend(tmp_path.rglob("*_result.pkl"))
            raise KeyboardInterrupt

    results: list[Path] = []
    end_once = once_saved(1, end)
    with pytest.raises(KeyboardInterrupt):
        run_all([SLOW], tmp_path, 1, Slurm(LOCAL, tmp_path, DISABLED), look)
    assert not results


def test_a_command_that_is_stopped_has_its_jobs_end_in_good_order(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all([SLOW], tmp_path, 1, Slurm(LOCAL, tmp_path, DISABLED), once_saved(1, stop))
    deadline = time.monotonic() + 60
    while jobs():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    (log,) = tmp_path.rglob("log.txt")
    assert log.read_text().rstrip().endswith("the same command goes on from the last checkpoint")


@pytest.mark.parametrize(
    ("age", "saved", "again"),
    # SLURM may be a minute early, and a job counts from when Python has begun.
    [(5000, 5, True), (5000, 0, False), (3520, 0, False), (10, 0, True)],
)
def test_a_job_is_queued_again_unless_it_would_get_nowhere(
    age: float, saved: int, again: bool, tmp_path: Path
) -> None:
    """One that is only moved (preempted) has not had its time."""
    errand = Errand(tmp_path, SLOW, DISABLED, Path.cwd(), installed())
    job = Submission(errand, 3600.0, began=time.monotonic() - age, saved=0)
    write_progress(tmp_path, Progress("training", 7, 20, saved=saved))
    assert (job.checkpoint() is not None) == again


def test_a_job_that_slurm_does_not_queue_again_is_for_the_command_to_give_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def come_to_limit(*_: object) -> int:
        raise subprocess.CalledProcessError(1, ["scontrol", "requeue", "12"])

    monkeypatch.setattr(on_slurm, "do_in_child", come_to_limit)
    monkeypatch.setenv("SUBMITIT_EXECUTOR", "local")
    monkeypatch.setenv("SUBMITIT_LOCAL_JOB_ID", "12")
    usual = signal.getsignal(signal.SIGTERM)
    try:
        ended = Submission(Errand(tmp_path, SLOW, DISABLED, Path.cwd(), installed()), 3600.0)()
    finally:
        signal.signal(signal.SIGTERM, usual)
    assert (ended.exitcode, ended.said.partition(",")[0]) == (GONE, "its job came to its limit")


def test_a_job_that_says_nothing_is_told_with_where_to_look(tmp_path: Path) -> None:
    import submitit

    said = SlurmJob(tmp_path, submitit.LocalJob(tmp_path, "12"))._end().said
    assert said.startswith("its job 12 ended without a word (SLURM: NO PROCESS AND NO RESULT")
    assert said.endswith("_log.err; can its node see that folder, and has that room?)")


def test_a_machine_without_slurm_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="there is no SLURM on this machine"):
        Slurm(Request(), tmp_path, DISABLED)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_asks_to_stop_as_jobs_are_submitted_is_heard_once_they_are_known(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody would cancel them, or the command would go on."""
    import submitit

    executor = Slurm(LOCAL, tmp_path, DISABLED)

    def submit(_: object) -> Sequence[object]:
        os.kill(os.getpid(), number)
        return [submitit.LocalJob(tmp_path, "12")]

    monkeypatch.setattr(executor.submitit, "submit_array", submit)
    usual = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            executor.begin({tmp_path: SLOW})
    finally:
        signal.signal(number, usual)
    assert [job.folder for job in executor.jobs] == [tmp_path]


def refusing(folder: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> Slurm:
    """An executor of a SLURM that takes no job."""
    for name, line in {"srun": "", "sbatch": f"printf '{said}' >&2; exit 1"}.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return Slurm(Request(partition="absent"), folder, DISABLED)


def test_a_refusal_is_said_in_slurms_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said = "sbatch: error: invalid partition specified: absent\\nsbatch: error: and more\\n"
    executor = refusing(tmp_path, monkeypatch, said)
    with pytest.raises(
        UserError, match=r"SLURM does not take the jobs: invalid partition specified: absent: mend"
    ):
        executor.begin({tmp_path: SLOW})
    assert capfd.readouterr().err == ""


def test_once_runs_are_at_work_a_refusal_leaves_them_alone_and_may_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import submitit

    executor = refusing(tmp_path, monkeypatch, "sbatch: error: too many jobs")
    executor.jobs = [SlurmJob(tmp_path, submitit.LocalJob(tmp_path, "12"))]
    (job,) = executor.begin({tmp_path: SLOW})
    assert job.exitcode == GONE
    assert "SLURM does not take the jobs: too many jobs: mend that" in job.said


def test_a_full_disk_as_jobs_are_submitted_fails_those_runs_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = Slurm(LOCAL, tmp_path, DISABLED)

    def submit(submissions: Sequence[Submission]) -> Sequence[object]:
        if submissions[0].errand.folder.name == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return [submitit.LocalJob(tmp_path, "12")]

    import submitit

    monkeypatch.setattr(executor.submitit, "submit_array", submit)
    other, full = executor.begin({tmp_path / "other": SLOW, tmp_path / "full": SLOW})
    assert (other.exitcode, full.exitcode) == (None, FAILED)
    assert full.said == f"{tmp_path / '.slurm'}: No space left on device"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A SLURM without accounts that takes every job, and of each says that it was cancelled."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, does in {
        "srun": "exit 1",
        "sbatch": "echo Submitted batch job 12",
        "squeue": 'echo "12|CANCELLED|None"',
        "sacct": "echo Slurm accounting storage is disabled >&2; exit 1",
    }.items():
        (commands / name).write_text(f"#!/bin/sh\n{does}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(commands), prepend=":")
    return tmp_path / "runs"


def test_a_job_that_is_killed_where_slurm_keeps_no_accounts_is_not_waited_for(slurm: Path) -> None:
    (job,) = Slurm(Request(), slurm, DISABLED).begin({slurm / "plain" / "seed-0": SLOW})
    assert isinstance(job, SlurmJob)
    job.look_seconds = 0
    assert job.exitcode == GONE
    assert job.said == "its job 12 was ended by SLURM, or by somebody (CANCELLED)"


def test_a_job_may_be_queued_again_on_a_cluster_that_does_so_only_if_asked(slurm: Path) -> None:
    Slurm(Request(), slurm, DISABLED).begin({slurm / "plain" / "seed-0": SLOW})
    assert "#SBATCH --requeue\n" in (slurm / ".slurm" / "12_submission.sh").read_text()
