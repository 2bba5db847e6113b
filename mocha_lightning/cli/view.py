"""``mocha-lightning view``: look at what Weights & Biases keeps of runs, in the terminal."""

from jsonargparse import Namespace

from mocha_lightning.cli.parsing import (
    Command,
    Parser,
    add_experiment,
    add_folder,
    experiment_folder,
)


def _parser() -> Parser:
    parser = Parser(
        description="Open the runs of an experiment, finished or not, in W&B's own viewer for "
        "terminals (wandb leet), from their folders and without an account. In it h is for help, "
        "the space bar selects a run, 3 shows pictures, q ends it."
    )
    add_experiment(parser)
    add_folder(parser, "runs")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.tracking.viewing import view

    return view(experiment_folder(options))


COMMAND = Command("look at an experiment's W&B runs in the terminal", _parser, _do)
