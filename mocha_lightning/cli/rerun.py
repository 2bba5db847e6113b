"""``mocha-lightning rerun``: do a finished run again and compare to the last bit."""

from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import DONE, SOME_FAILED, Command, Parser, not_empty


def _parser() -> Parser:
    parser = Parser(
        description="Do a finished run again in another folder, from the configuration that it "
        "left, and compare scores, predictions and weights to the last bit. Exit code 1 where they "
        "differ. The first run is not touched."
    )
    parser.add_argument(
        "run", type=not_empty, help="a finished run's folder, as runs/demo/soft/seed-0"
    )
    parser.add_argument(
        "--to",
        type=not_empty,
        default="reruns",
        help="the folder of all repetitions (default: reruns)",
    )
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.board import Board
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.rerun import kept, origins_now, read_finished, rerun
    from mocha_lightning.experiment.writable import check_writable

    make_folder_importable()
    run, into = Path(options.run), Path(options.to)
    spec = read_finished(run)
    check_writable(into / spec.experiment, "--to")
    console = Console()
    console.print(Text(f"Again in {into / spec.experiment}"), soft_wrap=True)
    for origin in origins_now(run, spec):
        console.print(Text(f"made differently: {origin}"), soft_wrap=True)
    with Board(console, 1, spec.metric.validation) as board:
        found = rerun(run, spec, into, board)
    name = f"{spec.experiment}, {spec.variant} seed {spec.seed}"
    for difference in found:
        console.print(Text(f"differs: {difference}", style="red"), soft_wrap=True)
    if found:
        console.print(Text(f"{name}: NOT repeated"), soft_wrap=True)
        return SOME_FAILED
    compared = [part for part, there in kept(run).items() if there]
    said = f"{name}: repeated to the last bit ({', '.join(compared)})"
    console.print(Text(said, style="green"), soft_wrap=True)
    for part in kept(run).keys() - compared:
        console.print(Text(f"not compared: {part}, which {run} lacks"), soft_wrap=True)
    return DONE


COMMAND = Command("do a finished run again and compare to the last bit", _parser, _do)
