"""``mocha-lightning aa``: compare a variant with itself."""

from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    above_0,
    add_experiment,
    add_folder,
    as_typed,
    experiment_folder,
)
from mocha_lightning.errors import UserError


def _parser() -> Parser:
    parser = Parser(
        description="Compare runs of one variant with other runs of the same variant. There is "
        "nothing to find, so 5 % of the p values should be below 0.05."
    )
    add_experiment(parser)
    parser.add_argument("--variant", type=str, help="which, where there are several")
    parser.add_argument(
        "--side", type=above_0, default=4, help="runs on either side of a comparison (default: 4)"
    )
    add_folder(parser, "runs")
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.report.aa import PAGE, build_aa, sentences, write_aa
    from mocha_lightning.report.reproduce import reproduce

    if options.side < 2:
        raise UserError("--side: a comparison needs at least 2 runs on either side")
    found = build_aa(experiment_folder(options), options.side, options.variant)
    origin = reproduce(as_typed(words))
    folder = write_aa(found, origin, Path(options.reports))
    console = Console()
    for sentence in sentences(found):
        console.print(Text(sentence), soft_wrap=True)
    console.print(Text(f"Report: {folder / PAGE}"), soft_wrap=True)
    return DONE


COMMAND = Command("compare a variant with itself, where there is nothing to find", _parser, _do)
