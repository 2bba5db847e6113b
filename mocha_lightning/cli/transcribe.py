"""``mocha-lightning transcribe``: print what is said in sound files."""

import sys
from contextlib import suppress

from jsonargparse import Namespace

from mocha_lightning.arriving import Arriving
from mocha_lightning.cli import INTERRUPTED
from mocha_lightning.cli.parsing import (
    DONE,
    MISTAKE,
    Command,
    Parser,
)
from mocha_lightning.cli.streams import say_loading
from mocha_lightning.transcription.options import Options, add_options


def _parser() -> Parser:
    parser = Parser(
        description="Print what is said in sound files, or in sound that is just arriving, word by "
        "word as a trained recogniser decides it. It must have a monotonic head, or be CTC."
    )
    add_options(parser)
    return parser


def _do(options: Namespace, *_: object) -> int:
    wanted = Options.of(options)
    arriving = None
    if wanted.stream and sys.stdin is not None:
        with suppress(OSError):  # it is no file; that is told when it is opened
            arriving = Arriving(sys.stdin.fileno())
    try:
        say_loading()
        from mocha_lightning.experiment.imports import make_folder_importable
        from mocha_lightning.transcription.command import transcribe

        make_folder_importable()
        return DONE if transcribe(wanted, arriving) else MISTAKE
    except KeyboardInterrupt:  # without main's word that the same command goes on: it begins anew
        return INTERRUPTED


COMMAND = Command("print what is said in sound files", _parser, _do)
