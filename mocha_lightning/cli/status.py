"""``mocha-lightning status``: say how far an experiment or a sweep is."""

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
from mocha_lightning.experiment.places import is_sweep


def _parser() -> Parser:
    parser = Parser(description="Say how far an experiment or a sweep is.")
    add_experiment(parser)
    add_folder(parser, "runs")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.status import print_status
    from mocha_lightning.sweep.status import print_sweep_status

    given, folder = Path(options.experiment), experiment_folder(options)
    if is_sweep(folder):
        print_sweep_status(folder, Console())
    else:
        print_status(folder, Console(), given if given.is_file() else None)
    return DONE


COMMAND = Command("say how far an experiment or a sweep is", _parser, _do)
