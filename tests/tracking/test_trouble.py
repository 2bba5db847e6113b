"""W&B in trouble: the run goes on, and its log has a line of it."""

import socket
from pathlib import Path

import pytest
from wandb_reader import wandb_records, wandb_runs
from wandb_server import Manner, wandb_server
from wandb_talk import KEY, talk

SOON = 5
"""Seconds after which a server that does not answer is given up."""


def test_a_run_is_told_to_a_server_that_takes_it(tmp_path: Path) -> None:
    """So what the others refuse is no fault of the server that these tests have made."""
    with wandb_server("takes") as url:
        said = talk(tmp_path, WANDB_BASE_URL=url, WANDB_API_KEY=KEY)
    assert troubles(said) == []
    assert not list(tmp_path.glob("wandb/offline-run-*"))


@pytest.mark.parametrize(
    ("manner", "problem"),
    [("refuses", "401"), ("hangs", "context deadline exceeded")],
)
def test_a_server_that_refuses_the_key_or_hangs_leaves_the_run_offline_and_whole(
    manner: Manner, problem: str, tmp_path: Path
) -> None:
    with wandb_server(manner) as url:
        said = talk(tmp_path, answer_seconds=SOON, WANDB_BASE_URL=url, WANDB_API_KEY=KEY)
    assert_is_whole_offline(tmp_path, said, problem)


def test_where_nobody_serves_the_run_is_offline_and_whole(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    said = talk(tmp_path, answer_seconds=SOON, WANDB_BASE_URL=url, WANDB_API_KEY=KEY)
    assert_is_whole_offline(tmp_path, said, "connection refused")


def test_a_key_that_is_revoked_as_a_run_goes_on_costs_a_warning_and_the_record_stays_here(
    tmp_path: Path,
) -> None:
    with wandb_server("revokes") as url:
        said = talk(tmp_path, WANDB_BASE_URL=url, WANDB_API_KEY=KEY)
    assert not any("it does not answer" in line for line in said)
    (line,) = [line for line in said if "WARNING" in line]
    assert "Use `wandb sync` at the end of the run" in line
    assert steps_of(tmp_path) == 50


def test_a_full_disk_under_its_folder_costs_a_line(tmp_path: Path) -> None:
    said = talk(tmp_path, mode="offline", most_bytes=40 * 1024, steps=1000)
    (line,) = troubles(said)
    assert line.startswith("W&B is off for this run: OSError: ")
    assert line.endswith(".wandb lacks the end: is the disk full?")


def test_a_service_that_another_process_has_left_is_not_used(tmp_path: Path) -> None:
    said = talk(tmp_path, mode="offline", WANDB_SERVICE="3-1-tcp-localhost-1")
    assert troubles(said) == []
    assert steps_of(tmp_path) == 50


def test_a_folder_that_cannot_be_made_costs_a_line(tmp_path: Path) -> None:
    (tmp_path / "wandb").write_text("a file")
    (line,) = troubles(talk(tmp_path, mode="offline"))
    assert line.startswith("W&B is off for this run: NotADirectoryError")


def test_an_id_that_a_full_disk_has_halved_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "wandb-id.txt").write_bytes(b"\xff\n")
    assert troubles(talk(tmp_path, mode="offline")) == []
    assert steps_of(tmp_path) == 50


def test_a_project_that_wandb_refuses_costs_a_line(tmp_path: Path) -> None:
    (line,) = troubles(talk(tmp_path, mode="offline", WANDB_PROJECT="a/b"))
    assert line.startswith("W&B is off for this run: ")
    assert "project" in line


def assert_is_whole_offline(folder: Path, lines: list[str], problem: str) -> None:
    (line,) = troubles(lines)
    assert line.startswith("W&B goes on offline: ")
    assert problem in line
    (run,) = wandb_runs(folder)
    assert (run["state"], run["summary"]["ended"]) == ("finished", "completed")
    assert steps_of(folder) == 50


def steps_of(folder: Path) -> int:
    return sum("history" in record for record in wandb_records(folder))


def troubles(lines: list[str]) -> list[str]:
    """Lines but those that say where the key was found."""
    told = ("[wandb.login()]", "W&B API key is configured", "Currently logged in as")
    return [line for line in lines if not line.removeprefix("wandb: ").startswith(told)]
