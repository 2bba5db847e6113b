"""The command line. Nothing here imports torch before a run needs it."""

import io
import json
import os
import re
import shlex
import sys
from argparse import ArgumentTypeError, HelpFormatter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from jsonargparse import ArgumentParser, Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import UNWRITABLE
from mocha_lightning.speed.settings import CHUNK_SIZES, DIM, LENGTHS, SEED, TRIALS, Settings
from mocha_lightning.transcription.options import Options, add_options

DONE, SOME_FAILED, MISTAKE, INTERRUPTED, READER_GONE = 0, 1, 2, 130, 141


class _Parser(ArgumentParser):
    """A parser whose complaints are one line, and whose help is what is written here."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, **options)

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Print the complaint and end the process."""
        said = " ".join(message.split()).removeprefix("argument ")
        # The parser has arguments of several commands and tells them apart by the command's name.
        said = re.sub(r"\b(run|prepare|status|report|speed|transcribe)\.(?=\w)", "", said)
        print(f"error: {said} (see --help)", file=sys.stderr)
        sys.exit(MISTAKE)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has not all characters is no reason to end; stderr has its own way.
        if isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":
            stream.reconfigure(errors="replace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    if not words:
        parser.print_help(sys.stderr)
        sys.exit(MISTAKE)
    options = parser.parse_args(words)
    commands: dict[str, Callable[[Namespace, Sequence[str]], int]] = {
        "run": _run,
        "prepare": _prepare,
        "status": _status,
        "report": _report,
        "speed": _speed,
        "transcribe": _transcribe,
    }
    try:
        code = commands[options.command](options[options.command], words)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = MISTAKE
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        place = error.filename or "the output"
        print(
            f"error: {place}: {error.strerror}: make room or choose another folder", file=sys.stderr
        )
        _drop_unwritten()
        code = MISTAKE
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on where it stood.", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _drop_unwritten() -> None:
    """Drop what the output did not take, or the interpreter complains of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> _Parser:
    parser = _Parser(
        prog="mocha-lightning",
        description="Comparisons of attention mechanisms for online sequence transduction.",
        version=version("mocha-lightning"),
    )
    commands = parser.add_subcommands(dest="command", required=True)
    commands.add_subcommand("run", _run_parser(), help="do the runs of an experiment and report")
    commands.add_subcommand(
        "prepare", _prepare_parser(), help="prepare the data of an experiment and say what is in it"
    )
    status = _Parser(description="Say how far an experiment is.")
    status.add_argument("experiment", type=str, help="an experiment file, its name or its folder")
    _add_folder(status, "runs")
    commands.add_subcommand("status", status, help="say how far an experiment is")
    report = _Parser(description="Write and print the report of an experiment.")
    report.add_argument("experiment", type=str, help="an experiment file, its name or its folder")
    _add_folder(report, "runs")
    _add_folder(report, "reports")
    commands.add_subcommand("report", report, help="write and print the report of an experiment")
    commands.add_subcommand(
        "speed", _speed_parser(), help="time the mechanisms alone, as in the paper's Appendix B"
    )
    transcribe = _Parser(
        description="Print what is said in sound files, or in sound that is just arriving, word by "
        "word as a trained recogniser decides it. Its attention must have a monotonic head."
    )
    add_options(transcribe)
    commands.add_subcommand("transcribe", transcribe, help="print what is said in sound files")
    return parser


def _run_parser() -> _Parser:
    parser = _Parser(
        description="Do every run of an experiment that is not finished, then report. "
        "Stopped with Ctrl-C, the same command goes on where it stood."
    )
    parser.add_argument(
        "experiment", type=str, help="an experiment file, such as experiments/demo.yaml"
    )
    parser.add_argument("--jobs", type=_above_0, help="runs at once (default: one for each core)")
    _add_folder(parser, "runs")
    _add_folder(parser, "reports")
    parser.add_argument("--name", type=str, help="the experiment's name (default: the file's)")
    parser.add_argument("--seeds", type=_from_0, nargs="+", help="instead of the file's seeds")
    parser.add_argument("--variants", type=str, nargs="+", help="do these variants only")
    _add_set(parser)
    parser.add_argument(
        "--wandb",
        choices=("auto", "online", "offline", "disabled"),
        default="auto",
        help="Weights & Biases (auto: WANDB_MODE, else online where there is a login)",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the models and what would be run, and check what can be without doing any",
    )
    return parser


def _prepare_parser() -> _Parser:
    parser = _Parser(
        description="Prepare the data of every variant of an experiment, once, and say what is in "
        "them. Stopped, killed or out of disk, the same command goes on where it stood with "
        "recordings; synthetic speech is made anew."
    )
    parser.add_argument(
        "experiment", type=str, help="an experiment file, such as experiments/demo.yaml"
    )
    _add_set(parser)
    parser.add_argument(
        "--jobs", type=_above_0, help="processes that read recordings (default: one for each core)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and no table")
    return parser


def _speed_parser() -> _Parser:
    parser = _Parser(
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
            type=_above_0,
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
            option, type=_above_0, default=number, help=f"{meaning} (default: {number})"
        )
    parser.add_argument(
        "--seed", type=_from_0, default=SEED, help=f"of states and weights (default: {SEED})"
    )
    _add_folder(parser, "reports")
    return parser


def _add_set(parser: _Parser) -> None:
    parser.add_argument(
        "--set",
        type=str,
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="set a value of the base, as in --set data.batch_size=8",
    )


def _add_folder(parser: _Parser, kind: str) -> None:
    parser.add_argument(
        f"--{kind}", type=_folder, default=kind, help=f"the folder of all {kind} (default: {kind})"
    )


def _run(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.experiment.file import read_file

    # A mistake in the file's form is told before the seconds that importing torch takes.
    read_file(Path(options.experiment))
    settings = _settings(options.set)
    from mocha_lightning.experiment.board import Board
    from mocha_lightning.experiment.definition import load_experiment
    from mocha_lightning.experiment.dry_run import dry_run
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.overview import print_runs, print_variants, wanted
    from mocha_lightning.experiment.prepare import prepare, record
    from mocha_lightning.experiment.runner import State, run_all
    from mocha_lightning.experiment.writable import check_writable

    make_folder_importable()
    experiment = load_experiment(Path(options.experiment), options.name, options.seeds, settings)
    console = Console()
    folder = Path(options.runs) / experiment.name
    check_writable(Path(options.reports) / experiment.name, "--reports")
    specs = experiment.runs(shlex.join(["mocha-lightning", *words]), options.variants)
    if options.dry_run:
        dry_run(experiment, specs, folder, options.experiment, console)
        return DONE
    specs, sizes = prepare(experiment, specs, folder)
    print_variants(wanted(experiment, specs), sizes, console)
    print_runs(experiment, specs, folder, console)
    record(experiment, folder)
    jobs = options.jobs or cores()
    with Board(console, jobs, experiment.metric.validation) as board:
        runs = run_all(specs, folder, jobs, options.wandb, board)
    failed = [run for run in runs if run.state is State.FAILED]
    for run in failed:
        console.print(Text(f"{run.name} failed: {run.problem}", style="red"), soft_wrap=True)
    if len(failed) < len(runs):
        _print_report(folder, Path(options.reports), console)
    return SOME_FAILED if failed else DONE


def _prepare(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.file import read_file

    read_file(Path(options.experiment))
    settings = _settings(options.set)
    from mocha_lightning.experiment.corpora import load_corpora, prepare_corpora
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.inventory import facts_of, print_facts

    make_folder_importable()
    corpora = load_corpora(Path(options.experiment), settings)
    prepare_corpora(corpora, options.jobs or cores())
    facts = [facts_of(corpus) for corpus in corpora]
    if options.json:
        print(json.dumps({"data": facts}, indent=2, ensure_ascii=False))
    else:
        for each in facts:
            print_facts(each, Console())
    return DONE


def _folder(text: str) -> str:
    # An empty path would be the current folder; it is rather a variable that was not set.
    if not text:
        raise ArgumentTypeError("must name a folder, not be empty")
    return text


def _above_0(text: str) -> int:
    return _whole_number(text, 1, "above 0")


def _from_0(text: str) -> int:
    return _whole_number(text, 0, "of at least 0")


def _whole_number(text: str, least: int, bound: str) -> int:
    try:
        number = int(text)
    except (TypeError, ValueError):
        number = least - 1
    if number < least:
        raise ArgumentTypeError(f"must be a whole number {bound}, not {text or 'empty'}")
    return number


def _settings(pairs: Sequence[str]) -> dict[str, Any]:
    from mocha_lightning.experiment.document import parse_value

    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UserError(f"--set {pair}: has no value: write KEY=VALUE")
        try:
            settings[key] = parse_value(value)
        except ValueError as error:
            raise UserError(f"--set {pair}: the value is not YAML: {error}") from error
    return settings


def _status(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.status import print_status

    given = Path(options.experiment)
    print_status(_experiment_folder(options), Console(), given if given.is_file() else None)
    return DONE


def _report(options: Namespace, *_: object) -> int:
    _print_report(_experiment_folder(options), Path(options.reports), Console())
    return DONE


def _speed(options: Namespace, words: Sequence[str]) -> int:
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
        run(settings, folder, shlex.join(["mocha-lightning", *words]), console)
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


def _transcribe(options: Namespace, *_: object) -> int:
    wanted = Options.of(options)
    try:
        from mocha_lightning.experiment.imports import make_folder_importable
        from mocha_lightning.transcription.command import transcribe

        make_folder_importable()
        return DONE if transcribe(wanted) else MISTAKE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_unwritten()
        return READER_GONE


def _print_report(folder: Path, reports: Path, console: Console) -> None:
    from mocha_lightning.report import print_report, write_report

    print_report(write_report(folder, reports), console)
    report = reports / folder.resolve().name
    console.print(Text(f"Runs: {folder}. Report: {report / 'table.md'}"), soft_wrap=True)


def _experiment_folder(options: Namespace) -> Path:
    """The folder of an experiment that is given as such, or as its file, or by its name."""
    given = Path(options.experiment)
    name = given.stem if given.suffix in (".yaml", ".yml") else given.name
    return given if given.is_dir() else Path(options.runs) / name
