"""``mocha-lightning evaluate``: score predictions, without the model that made them."""

from jsonargparse import Namespace

from mocha_lightning.cli.parsing import DONE, SOME_FAILED, Command, Parser
from mocha_lightning.evaluation.options import Options, add_options


def _parser() -> Parser:
    parser = Parser(
        description="Score a finished run's predictions, or texts of any origin: ROUGE, word error "
        "rate or exact match, each with a 95 % bootstrap interval, beside the lead baseline and "
        "controls that know nothing of the document."
    )
    add_options(parser)
    return parser


def _do(options: Namespace, *_: object) -> int:
    wanted = Options.of(options)
    from mocha_lightning.evaluation.command import evaluate

    return DONE if evaluate(wanted) else SOME_FAILED


COMMAND = Command("score predictions, a run's or others", _parser, _do)
