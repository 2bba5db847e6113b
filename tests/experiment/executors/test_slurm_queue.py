"""What SLURM says of jobs, with an ``squeue`` that says what the test has it say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mocha_lightning.experiment.executors import slurm_queue
from mocha_lightning.experiment.executors.slurm_queue import Queue

Says = Callable[..., None]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Says:
    """Has SLURM answer with these lines; with None it does not answer."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    command = tmp_path / "squeue"

    def say(*lines: str | None) -> None:
        told = "\n".join(filter(None, lines))
        end = "echo 'slurm_load_jobs error' >&2; exit 1" if None in lines else "exit 0"
        command.write_text(f'#!/bin/sh\n[ -z "$SQUEUE_PARTITION" ] && echo "{told}"\n{end}\n')
        command.chmod(0o755)

    return say


def queue(*jobs: str) -> Queue:
    found = Queue()
    for job in jobs:
        found.register_job(job)
    return found


@pytest.mark.parametrize("state", ["PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "REQUEUED"])
def test_a_job_that_will_go_on_is_not_over(state: str, says: Says) -> None:
    says(f"7_1|{state}|None", "7_0|CANCELLED|None")
    assert not queue("7_1").is_done("7_1")


@pytest.mark.parametrize("state", slurm_queue.OVER)
def test_a_job_that_was_killed_is_over_though_it_left_no_result(state: str, says: Says) -> None:
    says(f"7_1|{state}|None")
    assert queue("7_1").is_done("7_1")


def test_a_job_that_slurm_has_forgotten_is_over(says: Says) -> None:
    says("8|RUNNING|None")
    jobs = queue("7", "8")
    assert jobs.is_done("7")
    assert jobs.get_state("7") == "no longer known"


def test_jobs_stand_as_they_did_while_slurm_does_not_answer(says: Says) -> None:
    says("7|RUNNING|None")
    jobs = queue("7")
    assert jobs.get_state("7") == "RUNNING"
    says(None)
    assert jobs.get_state("7", "force") == "RUNNING"


def test_a_job_that_is_newer_than_the_last_answer_is_not_gone(says: Says) -> None:
    says("7|RUNNING|None")
    jobs = queue("7")
    assert not jobs.is_done("7")
    says(None)
    jobs.register_job("8")
    assert not jobs.is_done("8")


def test_slurm_is_asked_once_for_all_jobs(says: Says) -> None:
    says("7|RUNNING|None", "8|RUNNING|None")
    jobs = queue("7", "8")
    assert not jobs.is_done("7")
    says("7|FAILED|None", "8|FAILED|None")
    assert not jobs.is_done("8")
    assert jobs.is_done("8", "force")


def test_what_a_person_filters_their_own_questions_by_hides_no_job(
    says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQUEUE_PARTITION", "another")
    says("7|RUNNING|None")
    assert not queue("7").is_done("7")


def test_what_keeps_jobs_waiting_for_ever_is_said_once(
    says: Says, capsys: pytest.CaptureFixture[str]
) -> None:
    says(
        "7_0|PENDING|PartitionDown",
        "7_1|PENDING|PartitionDown",
        "8|PENDING|Priority",
        "6|PENDING|AssocGrpCpuLimit",
    )
    jobs = queue("7_0", "7_1", "8")
    for _ in range(2):
        jobs.get_state("8", "force")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("SLURM has 2 jobs wait: PartitionDown: have that mended, or end this")
