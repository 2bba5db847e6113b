"""Where a dashboard goes: to W&B, or into files that hold what W&B would be sent."""

import json
import os
from contextlib import suppress
from pathlib import Path

import wandb
from pydantic import TypeAdapter, ValidationError
from wandb_workspaces import workspaces as ws
from wandb_workspaces.reports import v2 as wr

from mocha_lightning.errors import UserError, in_a_line
from mocha_lightning.experiment.whole_files import write_all
from mocha_lightning.tracking import WandbSettings
from mocha_lightning.tracking.login import is_logged_in

FOLDER = "wandb"
"""Within an experiment's report."""
WORKSPACE, REPORT = "workspace", "report"
URLS = "urls.json"


def entity_of(settings: WandbSettings, offline: bool) -> str:
    """Whose the dashboard is; empty where nobody says so and W&B is not asked.

    Raises:
        UserError: it is to be saved, and nobody is logged in, or W&B cannot begin.
    """
    named = settings.entity or os.environ.get("WANDB_ENTITY") or ""
    if offline:
        return named
    if not is_logged_in():
        raise UserError(
            "nobody is logged in to Weights & Biases: run `wandb login` or set WANDB_API_KEY, or "
            "have what would be made written by --offline"
        )
    try:
        return named or wandb.Api().default_entity or ""
    except Exception as error:
        raise UserError(
            f"W&B does not answer ({in_a_line(error)}): check the network, or use --offline"
        ) from error


def write(folder: Path, workspace: ws.Workspace, report: wr.Report) -> list[Path]:
    """Write what W&B would be sent; it has passed through the models of W&B's own library.

    Args:
        folder: of the experiment's report.
        workspace: to write.
        report: to write, which must not name a project that only W&B knows.

    Returns:
        The files.
    """
    files = {}
    for name, made in ((WORKSPACE, workspace), (REPORT, report)):
        model = made._to_model()
        text = model.model_dump_json(by_alias=True, exclude_none=True, indent=2)
        type(model).model_validate_json(text)
        files[f"{name}.json"] = f"{text}\n"
    write_all(folder / FOLDER, files)
    return [folder / FOLDER / name for name in files]


def save(folder: Path, workspace: ws.Workspace, report: wr.Report) -> list[str]:
    """Save both at W&B, in place of those that this was done with before.

    Args:
        folder: of the experiment's report, where their addresses are kept.
        workspace: to save.
        report: to save.

    Returns:
        Their addresses.

    Raises:
        UserError: W&B does not take them.
    """
    project = f"{workspace.entity}/{workspace.project}"
    known = _known(folder / FOLDER / URLS)
    urls = known.get(project, {})
    try:
        urls[WORKSPACE] = _workspace_there(workspace, urls.get(WORKSPACE)).save().url
        urls[REPORT] = _report_there(report, urls.get(REPORT)).save().url
    # Whatever the library raises: of what W&B refuses, a project that is not there, no network.
    except Exception as error:
        raise UserError(
            f"W&B does not take the dashboard ({in_a_line(error)}): check that the project "
            f"{project} is there, with runs (make sync), and that it is yours"
        ) from error
    finally:
        write_all(folder / FOLDER, {URLS: json.dumps({**known, project: urls}, indent=2) + "\n"})
    return list(urls.values())


def _known(path: Path) -> dict[str, dict[str, str]]:
    """By project, the addresses of what was saved there before."""
    try:
        return TypeAdapter(dict[str, dict[str, str]]).validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return {}


def _workspace_there(made: ws.Workspace, url: str | None) -> ws.Workspace:
    """The one that is there with what it shall be, else what was made."""
    if url is None:
        return made
    # Somebody may have deleted it.
    with suppress(Exception):
        there = ws.Workspace.from_url(url)
        there.sections, there.settings = made.sections, made.settings
        there.name, there.runset_settings = made.name, made.runset_settings
        return there
    return made


def _report_there(made: wr.Report, url: str | None) -> wr.Report:
    if url is None:
        return made
    with suppress(Exception):
        there = wr.Report.from_url(url)
        there.title, there.description = made.title, made.description
        there.blocks, there.width = made.blocks, made.width
        return there
    return made
