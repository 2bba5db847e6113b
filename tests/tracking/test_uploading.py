"""What of W&B's offline files is uploaded, and with what."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from wandb_server import wandb_server
from wandb_talk import KEY, talk

from mocha_lightning.__main__ import main
from mocha_lightning.errors import UserError
from mocha_lightning.tracking.login import is_logged_in
from mocha_lightning.tracking.uploading import offline_records, upload


def part(run: Path, name: str, content: str = "records") -> Path:
    """A part of a run, as W&B leaves it."""
    folder = run / "wandb" / name
    folder.mkdir(parents=True)
    (folder / f"run-{name.rpartition('-')[2]}.wandb").write_text(content)
    return folder


def test_the_newest_part_of_each_run_is_uploaded(tmp_path: Path) -> None:
    first, second = tmp_path / "demo/soft/seed-0", tmp_path / "demo/soft/seed-1"
    part(first, "offline-run-20260101_100000-a")
    newest = part(first, "offline-run-20260102_090000-a")
    (first / "wandb/latest-run").symlink_to(newest.name)
    other = part(second, "offline-run-20260101_100000-b")
    assert offline_records(tmp_path) == [newest, other]
    assert offline_records(second) == [other]


def test_a_part_that_a_killed_process_left_without_a_record_is_passed_over(
    tmp_path: Path,
) -> None:
    whole = part(tmp_path, "offline-run-20260101_100000-a")
    (tmp_path / "wandb/offline-run-20260102_100000-a").mkdir()
    part(tmp_path, "offline-run-20260103_100000-a", content="")
    assert offline_records(tmp_path) == [whole]


def test_what_leads_nowhere_or_is_not_called_as_wandb_calls_it_is_passed_over(
    tmp_path: Path,
) -> None:
    whole = part(tmp_path, "offline-run-20260101_100000-a")
    (whole / "run-copy.wandb").write_text("records")
    (tmp_path / "wandb/offline-run-20260102_100000-a").mkdir()
    (tmp_path / "wandb/offline-run-20260102_100000-a/run-a.wandb").symlink_to("nowhere")
    part(tmp_path, "offline-run-a")
    part(tmp_path, "offline-run-")
    assert offline_records(tmp_path) == [whole]


def test_a_run_that_went_on_online_is_there_already(tmp_path: Path) -> None:
    part(tmp_path, "offline-run-20260101_100000-a")
    part(tmp_path, "run-20260102_100000-a")
    assert offline_records(tmp_path) == []


def test_wandbs_own_command_uploads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(tmp_path, mode="offline")
    monkeypatch.setenv("WANDB_API_KEY", KEY)
    # That is how runs begin; who gives the command wants to upload.
    monkeypatch.setenv("WANDB_MODE", "offline")
    with wandb_server("takes") as url:
        monkeypatch.setenv("WANDB_BASE_URL", url)
        assert upload(offline_records(tmp_path))
    assert list(tmp_path.glob("wandb/latest-run/*.synced"))


def test_nobody_logged_in_is_told_in_a_line_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part(tmp_path, "offline-run-20260101_100000-a")
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(login=lambda **_: False))
    with pytest.raises(SystemExit, match="2"):
        main(["sync", str(tmp_path)])
    assert capsys.readouterr().err == (
        "error: nobody is logged in to Weights & Biases: run `wandb login` or set WANDB_API_KEY\n"
    )


def test_a_variable_that_wandb_does_not_take_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def login(**_: Any) -> bool:
        raise ValueError("1 validation error for Settings\nmode\n  Input should be 'online'")

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(login=login))
    with pytest.raises(UserError, match=r"W&B cannot begin .*mode Input should be") as told:
        is_logged_in()
    assert "\n" not in str(told.value)


def test_an_upload_that_fails_is_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part(tmp_path, "offline-run-20260101_100000-a")
    settings = SimpleNamespace(base_url="https://wandb.example")
    wandb = SimpleNamespace(
        login=lambda **_: True, setup=lambda: SimpleNamespace(settings=settings)
    )
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: SimpleNamespace(returncode=1))
    with pytest.raises(SystemExit, match="1"):
        main(["sync", str(tmp_path)])
    assert capsys.readouterr().out == "runs to upload: 1, to https://wandb.example\n"


def test_nothing_to_upload_needs_no_login(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["sync", str(tmp_path)])
    assert capsys.readouterr().out == f"{tmp_path}: nothing was kept offline\n"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        offline_records(tmp_path / "none")
