"""``mocha-lightning index``: one page over all reports."""

import sys
from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import (
    DONE,
    SOME_FAILED,
    Command,
    Parser,
    add_folder,
    as_typed,
)


def _parser() -> Parser:
    parser = Parser(
        description="Write the report of every experiment and sweep of a folder of runs anew, and "
        "reports/index.html with the verdicts and scores of all reports that stand beside it, "
        "wherever their runs are. Exit code 1 where one of them cannot be read, as before its "
        "first run is finished."
    )
    add_folder(parser, "runs")
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.report.overall import write_overall
    from mocha_lightning.report.reproduce import reproduce

    origin = reproduce(as_typed(words))
    page, unreadable = write_overall(Path(options.runs), Path(options.reports), origin)
    for problem in unreadable:
        print(f"error: {problem}", file=sys.stderr)
    Console().print(Text(f"All reports: {page}"), soft_wrap=True)
    return SOME_FAILED if unreadable else DONE


COMMAND = Command("write one page over all reports", _parser, _do)
