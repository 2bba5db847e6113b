"""Where a command has its runs done: the options, and the executor that they ask for."""

from collections.abc import Iterable, Sequence

from jsonargparse import Namespace

from mocha_lightning.cli.parsing import Parser, wandb_settings
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.base import Executor

MEANINGS = {
    "process": "processes of this machine",
    "serial": "this very process, for a debugger",
}


def add_executor(parser: Parser, names: Sequence[str]) -> None:
    """Add the choice among executors.

    Args:
        parser: of a command.
        names: of those that the command can use; the first is the default.
    """
    told = "; ".join(f"{name}: {MEANINGS[name]}" for name in names)
    parser.add_argument(
        "--executor",
        choices=names,
        default=names[0],
        help=f"what does the runs ({told}; default: {names[0]})",
    )


def begin_early(options: Namespace, threads: int, classes: Iterable[str]) -> None:
    """Have what runs are forks of import beside this process, which needs as long for its own."""
    from mocha_lightning.experiment.server import begin_server

    if options.executor == "process":
        begin_server(threads, classes, wandb_settings(options))


def executor_of(options: Namespace) -> Executor:
    """The executor that was asked for.

    Raises:
        UserError: it cannot do what was asked of it.
    """
    from mocha_lightning.experiment.executors.process import Processes
    from mocha_lightning.experiment.executors.serial import Serial

    if options.executor == "serial":
        if options.jobs not in (None, 1):
            raise UserError("--jobs: serial does one run at a time: leave --jobs out")
        return Serial(wandb_settings(options))
    return Processes(wandb_settings(options))
