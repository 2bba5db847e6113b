"""``mocha-lightning parameters``: how large the models of experiments are."""

from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    add_folder,
    as_typed,
)


def _parser() -> Parser:
    parser = Parser(
        description="Count the parameters of every variant of experiments, part by part, beside "
        "soft and hard monotonic attention. It takes no data: a vocabulary counts as full."
    )
    parser.add_argument(
        "experiments", type=str, nargs="+", help="experiment files, such as experiments/wsj.yaml"
    )
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.sizes import sizes_of
    from mocha_lightning.experiment.writable import check_writable
    from mocha_lightning.report.parameters import parameters_page, write_parameters
    from mocha_lightning.report.reproduce import reproduce

    make_folder_importable()
    check_writable(Path(options.reports) / "parameters", "--reports")
    counted = [sizes_of(Path(file)) for file in options.experiments]
    page = parameters_page(counted, reproduce(as_typed(words)))
    folder = write_parameters(counted, page, Path(options.reports))
    console = Console()
    console.print(Text(page), soft_wrap=True)
    console.print(Text(f"Report: {folder / 'table.md'}"), soft_wrap=True)
    return DONE


COMMAND = Command("count the parameters of experiments' models", _parser, _do)
