"""``mocha-lightning dashboard``: into files or to W&B, and what it says where it cannot."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from wandb_server import wandb_server
from wandb_talk import KEY

from mocha_lightning.cli import dashboard, main

from .mentions import mentions_of, titles_of
from .views import Views

needs_extra = pytest.mark.skipif(
    find_spec("wandb_workspaces") is None,
    reason="wandb-workspaces is not installed (extra: dashboards)",
)
Commands = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    """Give commands in a process of their own, where nobody is logged in but by a variable."""
    given = [name for name in os.environ if name.startswith("WANDB_")]

    def give(script: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", f"from mocha_lightning.cli import main\n{script}", *words],
            cwd=tmp_path,
            env={
                **{name: value for name, value in os.environ.items() if name not in given},
                "PYTHONPATH": os.pathsep.join(sys.path),
                "HOME": str(tmp_path),
                **variables,
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return give


ONCE = "main()"
TWICE = """
for _ in range(2):
    try:
        main()
    except SystemExit as ended:
        assert ended.code == 0
"""


def test_without_the_package_a_line_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dashboard, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="2"):
        main(["dashboard", "demo", "--offline"])
    assert capsys.readouterr().err == (
        "error: dashboards are made by the package wandb-workspaces, which is not installed: run "
        'pip install "mocha-lightning[dashboards]"\n'
    )


@needs_extra
def test_without_a_login_a_line_says_what_to_do(documents: Path, commands: Commands) -> None:
    ended = commands(ONCE, "dashboard", str(documents))
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == (
        "error: nobody is logged in to Weights & Biases: run `wandb login` or set WANDB_API_KEY, "
        "or have what would be made written by --offline\n"
    )


@needs_extra
def test_offline_it_writes_what_wandbs_own_models_take(
    documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from wandb_workspaces.reports.v2.internal import ReportViewspec
    from wandb_workspaces.workspaces.internal import View

    with pytest.raises(SystemExit, match="0"):
        main(
            [
                *("dashboard", str(documents), "--offline", "--reports", str(tmp_path)),
                *("--entity", "us", "--project", "attention"),
            ]
        )
    said = capsys.readouterr()
    folder = tmp_path / "documents/wandb"
    assert said.err == ""
    assert said.out.splitlines() == [
        str(folder / f"{each}.json") for each in ("workspace", "report")
    ]
    for name, model in (("workspace", View), ("report", ReportViewspec)):
        text = (folder / f"{name}.json").read_text()
        taken = json.loads(model.model_validate_json(text).model_dump_json(by_alias=True))
        assert mentions_of(taken) == mentions_of(json.loads(text))
        assert "tables/predictions" in titles_of(taken)
    assert json.loads((folder / "workspace.json").read_text())["entity"] == "us"
    project = json.loads((folder / "report.json").read_text())["project"]
    assert project == {"name": "attention", "entityName": "us"}


@needs_extra
def test_runs_that_wandb_was_told_nothing_of_are_named(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied / "soft/seed-0/wandb-id.txt").unlink()
    with pytest.raises(SystemExit, match="0"):
        main(["dashboard", str(copied), "--offline", "--reports", str(tmp_path)])
    assert capsys.readouterr().out.startswith("W&B was told nothing of soft seed 0: no panel")


def saved(views: Views, kind: str) -> tuple[str, Any]:
    """The one of a kind that is saved: its id and what it has."""
    (only,) = views.of(kind)
    return only["id"], json.loads(only["spec"])


@needs_extra
def test_made_again_it_takes_the_place_of_what_was_made_before(
    documents: Path, tmp_path: Path, commands: Commands
) -> None:
    views = Views("mocha-lightning")
    with wandb_server("takes", views) as url:
        server = {"WANDB_API_KEY": KEY, "WANDB_BASE_URL": url}
        ended = commands(TWICE, "dashboard", str(documents), **server)
    assert ended.returncode == 0, ended.stderr
    number, workspace = saved(views, "project-view")
    assert titles_of(workspace)
    other, report = saved(views, "runs")
    assert titles_of(report) == titles_of(workspace)
    first, second = ended.stdout.splitlines()[:2]
    assert first.startswith(f"{url}/me/mocha-lightning?nw=")
    assert second == f"{url}/me/mocha-lightning/reports/documents--{other}"
    assert ended.stdout.splitlines()[2:] == [first, second]
    kept = json.loads((tmp_path / "reports/documents/wandb/urls.json").read_text())
    assert kept == {"me/mocha-lightning": {"workspace": first, "report": second}}
    assert number != other


@needs_extra
def test_what_wandb_does_not_take_is_a_line(documents: Path, commands: Commands) -> None:
    with wandb_server("takes", Views("mocha-lightning")) as url:
        server = {"WANDB_API_KEY": KEY, "WANDB_BASE_URL": url}
        ended = commands(ONCE, "dashboard", str(documents), "--project", "other", **server)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("error: W&B does not take the dashboard (ValueError: Run set")
    assert last.endswith(
        "check that the project me/other is there, with runs (make sync), and that it is yours"
    )
