"""``mocha-lightning dashboard``: an experiment's workspace and report at Weights & Biases."""

from importlib.util import find_spec
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    add_experiment,
    add_folder,
    experiment_folder,
    wandb_name,
)
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import is_sweep
from mocha_lightning.tracking.settings import PROJECT, WandbSettings


def _parser() -> Parser:
    parser = Parser(
        description="Make a workspace (panels over the runs of an experiment, by variant) and a "
        "report (verdicts, tables and the same panels) at Weights & Biases. Made again, they take "
        "the place of those before."
    )
    add_experiment(parser)
    parser.add_argument(
        "--offline",
        action="store_true",
        help="write what would be made into the experiment's report; it takes no login",
    )
    parser.add_argument(
        "--project",
        type=wandb_name,
        metavar="NAME",
        help=f"the runs' project there (default: WANDB_PROJECT, else {PROJECT})",
    )
    parser.add_argument(
        "--entity",
        type=wandb_name,
        metavar="NAME",
        help="the user or team there (default: WANDB_ENTITY, else who is logged in)",
    )
    add_folder(parser, "runs")
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, *_: object) -> int:
    folder = experiment_folder(options)
    if is_sweep(folder):
        raise UserError(
            f"{folder}: is of a sweep, and a dashboard is of an experiment: see the sweep's report "
            f"(mocha-lightning report {folder}), or make optuna-dashboard"
        )
    if find_spec("wandb_workspaces") is None:
        raise UserError(
            "dashboards are made by the package wandb-workspaces, which is not installed: run "
            'pip install "mocha-lightning[dashboards]"'
        )
    from mocha_lightning.dashboard.build import build_report, build_workspace
    from mocha_lightning.dashboard.keep import entity_of, save, write
    from mocha_lightning.dashboard.logged import read_logged
    from mocha_lightning.report.content import build_report as build_tables
    from mocha_lightning.report.names import run_names
    from mocha_lightning.report.reading import read_runs

    settings = WandbSettings(project=options.project, entity=options.entity)
    entity, project = entity_of(settings, options.offline), settings.wanted_project
    runs = read_runs(folder)
    logged = read_logged(folder, runs)
    workspace = build_workspace(logged, entity, project)
    report = build_report(logged, build_tables(runs), entity, project, offline=options.offline)
    make = write if options.offline else save
    console = Console()
    if logged.unknown:
        said = f"W&B was told nothing of {run_names(logged.unknown)}: no panel will have them"
        console.print(Text(said), soft_wrap=True)
    for place in make(Path(options.reports) / runs.experiment, workspace, report):
        console.print(Text(str(place)), soft_wrap=True)
    return DONE


COMMAND = Command("make an experiment's workspace and report at Weights & Biases", _parser, _do)
