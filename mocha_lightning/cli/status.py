"""``mocha-lightning status``: say how far an experiment or a sweep is."""

import shlex
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
)
from mocha_lightning.experiment.places import EXPERIMENT, is_sweep
from mocha_lightning.experiment.program import program


def _parser() -> Parser:
    parser = Parser(description="Say how far an experiment or a sweep is.")
    add_experiment(parser)
    add_folder(parser, "runs")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.status import print_status
    from mocha_lightning.sweep.file import is_sweep_file
    from mocha_lightning.sweep.status import print_sweep_status

    given, folder, console = Path(options.experiment), experiment_folder(options), Console()
    file = given if given.is_file() else None
    if is_sweep(folder):
        print_sweep_status(folder, console)
    elif file and not (folder / EXPERIMENT).exists() and is_sweep_file(file):
        command = shlex.join([program(), "sweep", str(file)])
        said = f"{folder}: no trial begun yet: begin with `{command}`"
        console.print(Text(said), soft_wrap=True)
    else:
        print_status(folder, console, file)
    return DONE


COMMAND = Command("say how far an experiment or a sweep is", _parser, _do)
