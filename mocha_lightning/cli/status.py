"""``mocha-lightning status``: say how far an experiment is."""

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


def _parser() -> Parser:
    parser = Parser(description="Say how far an experiment is.")
    add_experiment(parser)
    add_folder(parser, "runs")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.status import print_status

    given = Path(options.experiment)
    print_status(experiment_folder(options), Console(), given if given.is_file() else None)
    return DONE


COMMAND = Command("say how far an experiment is", _parser, _do)
