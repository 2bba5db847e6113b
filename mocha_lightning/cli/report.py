"""``mocha-lightning report``: write and print the report of an experiment or a sweep."""

from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    add_experiment,
    add_folder,
    experiment_folder,
)
from mocha_lightning.cli.reporting import report_on


def _parser() -> Parser:
    parser = Parser(description="Write and print the report of an experiment or a sweep.")
    add_experiment(parser)
    add_folder(parser, "runs")
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, *_: object) -> int:
    report_on(experiment_folder(options), Path(options.reports), Console())
    return DONE


COMMAND = Command("write and print the report of an experiment or a sweep", _parser, _do)
