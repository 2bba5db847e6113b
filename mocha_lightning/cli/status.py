"""``mocha-lightning status``: say how far an experiment or a sweep is."""

import json
import shlex
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
from mocha_lightning.experiment.places import EXPERIMENT, is_sweep
from mocha_lightning.experiment.program import program


def _parser() -> Parser:
    parser = Parser(description="Say how far an experiment or a sweep is.")
    add_experiment(parser)
    add_folder(parser, "runs")
    parser.add_argument("--json", action="store_true", help="print all of it for a script")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from pydantic import TypeAdapter

    from mocha_lightning.experiment.standing import Standing, standing
    from mocha_lightning.experiment.status import print_status
    from mocha_lightning.sweep.file import is_sweep_file
    from mocha_lightning.sweep.standing import SweepStanding, sweep_standing
    from mocha_lightning.sweep.status import print_sweep_status

    given, folder, console = Path(options.experiment), experiment_folder(options), Console()
    file = given if given.is_file() else None
    of_sweep = is_sweep(folder)
    if not of_sweep and file and not (folder / EXPERIMENT).exists() and is_sweep_file(file):
        command = shlex.join([program(), "sweep", str(file)])
        begin = {"folder": str(folder), "begun": [], "go_on": command}
        said = f"{folder}: no trial begun yet: begin with `{command}`"
        print(json.dumps(begin, indent=2) if options.json else said)
        return DONE
    found = sweep_standing(folder) if of_sweep else standing(folder, file)
    if options.json:
        kind = TypeAdapter[SweepStanding | Standing](SweepStanding | Standing)
        print(kind.dump_json(found, indent=2).decode())
    elif isinstance(found, SweepStanding):
        print_sweep_status(found, console)
    else:
        print_status(found, console)
    return DONE


COMMAND = Command("say how far an experiment or a sweep is", _parser, _do)
