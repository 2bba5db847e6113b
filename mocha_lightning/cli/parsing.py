"""What the parsers of all commands share: how they complain, and the kinds of values."""

import math
import re
import shlex
import sys
from argparse import ArgumentTypeError, HelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from jsonargparse import ArgumentParser, Namespace

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import EXPERIMENT, is_sweep
from mocha_lightning.tracking.settings import MODES, PROJECT, WandbSettings

DONE, SOME_FAILED, MISTAKE, READER_GONE = 0, 1, 2, 141
"""What a command's process ends with."""
NEGATIVE_NUMBER = re.compile(r"^-(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$", re.IGNORECASE)
CHOICE = re.compile(
    r"(?P<said>invalid choice: '(?P<word>[^']*)') \(choose from (?P<choices>[^)]*)\)"
)
REFUSED = r"/\#?%:"
"""What W&B takes in no name."""
LONGEST = 128
"""Characters that W&B takes in the name of a project."""


class Parser(ArgumentParser):
    """A parser whose complaints are one line, and whose help is what is written here.

    Args:
        commands: names of all subcommands, by which it tells their arguments apart.
        options: those of ArgumentParser.
    """

    def __init__(self, commands: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, **options)
        self._commands = "|".join(commands)
        # argparse's own takes -1e-3 for an option.
        self._negative_number_matcher = NEGATIVE_NUMBER

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Print the complaint and end the process."""
        said = " ".join(message.split()).removeprefix("argument ")
        if self._commands:
            said = re.sub(rf"\b({self._commands})\.(?=\w)", "", said)
        said = CHOICE.sub(_meant, said)
        print(f"error: {said} (see --help)", file=sys.stderr)
        sys.exit(MISTAKE)


def _meant(refused: re.Match[str]) -> str:
    """What argparse says of a word that is no choice; where it is close to one, that one alone."""
    from mocha_lightning.experiment.mistakes import hint

    meant = hint(refused["word"], re.findall(r"'([^']*)'", refused["choices"]))
    return f"{refused['said']}: {meant}" if meant.startswith("did you mean") else refused[0]


class Command(NamedTuple):
    """A subcommand.

    Attributes:
        help: a line for the list of all.
        parser: makes its parser.
        do: does it, given its options and all words of the command line; gives the exit code.
    """

    help: str
    parser: Callable[[], Parser]
    do: Callable[[Namespace, Sequence[str]], int]


def as_typed(words: Sequence[str]) -> str:
    """A command as a shell would take it again."""
    return shlex.join(["mocha-lightning", *words])


def add_experiment(parser: Parser) -> None:
    """Add the experiment that a command is about, begun or not."""
    parser.add_argument(
        "experiment", type=not_empty, help="an experiment file, its name or its folder"
    )


def add_set(parser: Parser) -> None:
    """Add the changes of the base that a command is given."""
    parser.add_argument(
        "--set",
        type=str,
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="set a value of the base, as in --set data.batch_size=8",
    )


def add_wandb(parser: Parser) -> None:
    """Add what W&B is told of the runs that a command does."""
    parser.add_argument(
        "--wandb",
        choices=MODES,
        default="auto",
        help="Weights & Biases (auto: WANDB_MODE, else online where there is a login)",
    )
    parser.add_argument(
        "--wandb-project",
        type=wandb_name,
        metavar="NAME",
        help=f"the project there (default: WANDB_PROJECT, else {PROJECT})",
    )
    parser.add_argument(
        "--wandb-entity",
        type=wandb_name,
        metavar="NAME",
        help="the user or team there (default: WANDB_ENTITY, else who is logged in)",
    )
    parser.add_argument(
        "--wandb-checkpoints",
        action="store_true",
        help="give it each run's best checkpoint, too, as an artifact",
    )


def wandb_settings(options: Namespace) -> WandbSettings:
    """What :func:`add_wandb` was given."""
    return WandbSettings(
        options.wandb, options.wandb_project, options.wandb_entity, options.wandb_checkpoints
    )


def wandb_name(text: str) -> str:
    """What W&B takes as the name of a project, a user or a team."""
    if not text or set(text) & set(REFUSED):
        raise ArgumentTypeError(
            f"must be a name without {' '.join(REFUSED)}, not {text or 'empty'}"
        )
    if not text.strip() or not text.isprintable() or len(text) > LONGEST:
        raise ArgumentTypeError(
            f"must be a name of {LONGEST} characters at most, all of them to be seen, not {text!a}"
        )
    return text


def add_folder(parser: Parser, kind: str) -> None:
    """Add a folder that is named after what is in it."""
    parser.add_argument(
        f"--{kind}",
        type=not_empty,
        default=kind,
        help=f"the folder of all {kind} (default: {kind})",
    )


def not_empty(text: str) -> str:
    """What names a file or a folder."""
    # An empty path would be the current folder; it is rather a variable that was not set.
    if not text:
        raise ArgumentTypeError("must not be empty")
    return text


def above_0(text: str) -> int:
    """A whole number above 0."""
    return _whole_number(text, 1, "above 0")


def from_0(text: str) -> int:
    """A whole number of at least 0 that PyTorch can take for a seed."""
    return _whole_number(text, 0, "of at least 0", 2**63 - 1)


def finite(text: str) -> float:
    """A number that is neither infinite nor none."""
    try:
        number = float(text)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentTypeError(f"must be a number, not {text or 'empty'}")
    return number


def settings_of(pairs: Sequence[str]) -> dict[str, Any]:
    """What ``--set`` was given, by dotted path.

    Raises:
        UserError: one is no KEY=VALUE.
    """
    from mocha_lightning.experiment.document import parse_value

    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UserError(f"--set {pair}: has no value: write KEY=VALUE")
        try:
            settings[key] = parse_value(value)
        except ValueError as error:
            raise UserError(f"--set {pair}: the value is not YAML: {error}") from error
    return settings


def experiment_folder(options: Namespace) -> Path:
    """The folder of an experiment or a sweep that is given as such, or as its file, or by its name.

    A folder that happens to have an experiment's name and is none does not stand for it.
    """
    given = Path(options.experiment)
    name = given.stem if given.suffix in (".yaml", ".yml") else given.name
    folder = Path(options.runs) / name
    try:
        by_name = given.name == str(given) and folder.is_dir()
        begun = (given / EXPERIMENT).exists() or is_sweep(given)
        there = begun if by_name else given.is_dir()
        return given if there else folder
    except OSError as error:
        raise UserError(f"{options.experiment}: {error.strerror}: name an experiment") from error


def _whole_number(text: str, least: int, bound: str, most: int | None = None) -> int:
    try:
        number = int(text)
    except (TypeError, ValueError):
        number = least - 1
    if number < least:
        raise ArgumentTypeError(f"must be a whole number {bound}, not {text or 'empty'}")
    if most is not None and number > most:
        raise ArgumentTypeError(f"must be {most:,} at most, not {text}")
    return number
