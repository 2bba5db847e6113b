"""``mocha-lightning sync``: upload to Weights & Biases what was kept offline."""

from pathlib import Path

from jsonargparse import Namespace

from mocha_lightning.cli.parsing import DONE, SOME_FAILED, Command, Parser


def _parser() -> Parser:
    parser = Parser(
        description="Upload the runs that Weights & Biases has kept offline, the newest part of "
        "each with `wandb sync`. What was uploaded before is left out."
    )
    parser.add_argument(
        "runs",
        type=str,
        nargs="?",
        default="runs",
        help="a folder of runs, of all experiments or one (default: runs)",
    )
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.tracking.uploading import offline_records, upload

    records = offline_records(Path(options.runs))
    if not records:
        print(f"{options.runs}: nothing was kept offline")
        return DONE
    return DONE if upload(records) else SOME_FAILED


COMMAND = Command("upload to Weights & Biases what was kept offline", _parser, _do)
