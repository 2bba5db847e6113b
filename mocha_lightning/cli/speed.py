"""``mocha-lightning speed``: the paper's speed benchmark."""

import sys
from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli import INTERRUPTED
from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    above_0,
    add_folder,
    as_typed,
    from_0,
)
from mocha_lightning.errors import UserError
from mocha_lightning.speed.settings import CHUNK_SIZES, DIM, LENGTHS, SEED, TRIALS, Settings


def _parser() -> Parser:
    parser = Parser(
        description="Time soft attention against monotonic attention and MoChA in compiled code, "
        "on one thread: the paper's speed benchmark. The defaults are its numbers and some longer "
        "sequences, which take most of the minutes that it needs."
    )
    for option, default, meaning in (
        ("--lengths", LENGTHS, "each T, which is U too"),
        ("--chunk-sizes", CHUNK_SIZES, "each w; 1 is monotonic attention"),
    ):
        parser.add_argument(
            option,
            type=above_0,
            nargs="+",
            default=list(default),
            help=f"{meaning} (default: {' '.join(map(str, default))})",
        )
    for option, number, meaning in (
        ("--trials", TRIALS, "repetitions of each time"),
        ("--memory-dim", DIM, "dimension of the encoder's states"),
        ("--query-dim", DIM, "dimension of the decoder's states"),
        ("--energy-dim", DIM, "d, the hidden dimension of the energies"),
    ):
        parser.add_argument(
            option, type=above_0, default=number, help=f"{meaning} (default: {number})"
        )
    parser.add_argument(
        "--seed", type=from_0, default=SEED, help=f"of states and weights (default: {SEED})"
    )
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    settings = Settings(
        lengths=tuple(options.lengths),
        chunk_sizes=tuple(options.chunk_sizes),
        trials=options.trials,
        memory_dim=options.memory_dim,
        query_dim=options.query_dim,
        energy_dim=options.energy_dim,
        seed=options.seed,
    )
    from mocha_lightning.experiment.writable import check_writable

    folder = Path(options.reports) / "speed"
    check_writable(folder, "--reports")
    from mocha_lightning.speed.run import run

    console = Console()
    try:
        run(settings, folder, as_typed(words), console)
    except KeyboardInterrupt:
        print(
            "\nStopped, and nothing written: the times of a report are measured together.",
            file=sys.stderr,
        )
        return INTERRUPTED
    except MemoryError as error:
        raise UserError("there is not enough memory for such lengths and dimensions") from error
    console.print(Text(f"Report: {folder / 'table.md'}"), soft_wrap=True)
    return DONE


COMMAND = Command("time the mechanisms alone, as in the paper's Appendix B", _parser, _do)
