"""``mocha-lightning plan``: how large a study is."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    above_0,
    add_set,
    as_typed,
    from_0,
    settings_of,
)
from mocha_lightning.cli.streams import say_loading
from mocha_lightning.tracking.settings import WandbSettings

STEPS = 10
"""Of each variant."""


def _parser() -> Parser:
    parser = Parser(
        description="Estimate how long an experiment takes and what room it needs: a few steps of "
        "each variant are measured here, and nothing is kept. It prepares the data."
    )
    parser.add_argument(
        "experiment", type=str, help="an experiment file, such as experiments/demo.yaml"
    )
    parser.add_argument("--seeds", type=from_0, nargs="+", help="instead of the file's seeds")
    parser.add_argument("--variants", type=str, nargs="+", help="these variants only")
    parser.add_argument(
        "--jobs",
        type=above_0,
        nargs="+",
        default=[1, 2, 4, 8, 16],
        help="runs at once to reckon with (default: 1 2 4 8 16)",
    )
    parser.add_argument(
        "--steps", type=above_0, default=STEPS, help=f"to measure (default: {STEPS})"
    )
    add_set(parser)
    parser.add_argument("--json", action="store_true", help="print all of it for a script")
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.experiment.classes import class_paths
    from mocha_lightning.experiment.file import read_file
    from mocha_lightning.experiment.server import begin_server

    # As for runs: a mistake in the file's form is told first, and libraries load side by side.
    file, _ = read_file(Path(options.experiment))
    settings = settings_of(options.set)
    say_loading()
    begin_server(file.threads, class_paths(file.model_dump()), WandbSettings("disabled"))
    from rich.progress import track

    from mocha_lightning.experiment.building import build_each
    from mocha_lightning.experiment.definition import load_experiment
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.overview import wanted
    from mocha_lightning.experiment.plan import plan, print_plan

    make_folder_importable()
    experiment = load_experiment(Path(options.experiment), None, options.seeds, settings)
    specs = experiment.runs(as_typed(words), options.variants)
    variants = wanted(experiment, specs)
    parameters = {
        name: built.parameters for name, built in build_each(variants, experiment.metric).items()
    }
    planned = list(
        track(
            plan(specs, parameters, options.steps),
            "Measuring",
            total=len(variants),
            console=Console(stderr=True),
            transient=True,
        )
    )
    if options.json:
        print(json.dumps([asdict(each) for each in planned]))
    else:
        print_plan(planned, options.jobs, Console())
    return DONE


COMMAND = Command("estimate how long an experiment takes", _parser, _do)
