"""``mocha-lightning compare``: two variants against each other, by every test."""

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    add_folder,
    experiment_folder,
    finite,
)
from mocha_lightning.errors import UserError

SUMMARY = ("MEAN", "SD", "N", "MEAN", "SD", "N")


def _parser() -> Parser:
    parser = Parser(
        description="Compare two variants of an experiment by every test that their runs allow, or "
        "two results as papers print them."
    )
    parser.add_argument(
        "experiment",
        type=str,
        nargs="?",
        help="an experiment file, its name, its folder or that of its report",
    )
    for name, which in (("a", "one variant"), ("b", "another")):
        parser.add_argument(name, type=str, nargs="?", help=which)
    parser.add_argument(
        "--metric", type=str, help="a metric, such as test/loss or loss (default: the experiment's)"
    )
    parser.add_argument(
        "--from-summary",
        type=finite,
        nargs=len(SUMMARY),
        metavar=SUMMARY,
        help="compare these instead: mean, standard deviation and number of runs of each; the "
        "standard deviation of one run is 0",
    )
    parser.add_argument(
        "--mode",
        choices=("min", "max"),
        default="min",
        help="whether the lower or the higher of printed means is better (default: min)",
    )
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    add_folder(parser, "runs")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from pydantic import TypeAdapter

    from mocha_lightning.report.comparing import (
        Duel,
        compare_printed,
        compare_variants,
        print_duel,
    )

    named = [options.experiment, options.a, options.b]
    if options.from_summary is None:
        if None in named:
            raise UserError("compare: name an experiment and two of its variants (see --help)")
        duel = compare_variants(experiment_folder(options), options.a, options.b, options.metric)
    else:
        if named != [None] * 3 or options.metric is not None:
            raise UserError("compare: --from-summary takes six numbers and nothing else of runs")
        first, second = (_printed(options.from_summary[k : k + 3]) for k in (0, 3))
        duel = compare_printed(first, second, options.mode)
    console = Console()
    if options.json:
        console.print(Text(TypeAdapter(Duel).dump_json(duel, indent=2).decode()), soft_wrap=True)
    else:
        print_duel(duel, console)
    return DONE


def _printed(numbers: list[float]) -> tuple[float, float, int]:
    mean, deviation, runs = numbers
    if runs != int(runs):
        raise UserError(f"--from-summary: the number of runs must be whole, not {runs}")
    return mean, deviation, int(runs)


COMMAND = Command("compare two variants by every test, or what papers print", _parser, _do)
