"""``mocha-lightning summarize``: print the summaries of documents."""

from jsonargparse import Namespace

from mocha_lightning.cli import INTERRUPTED
from mocha_lightning.cli.parsing import DONE, MISTAKE, Command, Parser, above_0
from mocha_lightning.cli.streams import say_loading
from mocha_lightning.summarization.options import Options, add_options


def _parser() -> Parser:
    parser = Parser(
        description="Print the summaries of documents by a trained summariser, or, with a "
        "monotonic head, the summary of a document that is just being read."
    )
    add_options(parser, above_0)
    return parser


def _do(options: Namespace, *_: object) -> int:
    wanted = Options.of(options)
    try:
        say_loading()
        from mocha_lightning.experiment.imports import make_folder_importable
        from mocha_lightning.summarization.command import summarize

        make_folder_importable()
        return DONE if summarize(wanted) else MISTAKE
    except KeyboardInterrupt:  # without main's word that the same command goes on: it begins anew
        return INTERRUPTED


COMMAND = Command("print the summaries of documents", _parser, _do)
