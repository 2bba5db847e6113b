"""``mocha-lightning run``: do the runs of an experiment and report."""

import sys
from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console

from mocha_lightning.cli.executing import (
    add_executor,
    begin_early,
    check_executor,
    check_nodes,
    executor_of,
)
from mocha_lightning.cli.parsing import (
    DONE,
    SOME_FAILED,
    Command,
    Parser,
    above_0,
    add_folder,
    add_set,
    add_wandb,
    as_typed,
    from_0,
    settings_of,
)
from mocha_lightning.cli.reporting import report_on, tell_failures
from mocha_lightning.cli.streams import say_loading
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import is_sweep


def _parser() -> Parser:
    parser = Parser(
        description="Do every run of an experiment that is not finished, then report. "
        "Stopped with Ctrl-C, the same command goes on where it stood."
    )
    parser.add_argument(
        "experiment", type=str, help="an experiment file, such as experiments/demo.yaml"
    )
    parser.add_argument(
        "--jobs", type=above_0, help="runs at once (default: as many as there is room for)"
    )
    add_executor(parser, ("process", "serial", "ray", "slurm"))
    add_folder(parser, "runs")
    add_folder(parser, "reports")
    parser.add_argument("--name", type=str, help="the experiment's name (default: the file's)")
    parser.add_argument("--seeds", type=from_0, nargs="+", help="instead of the file's seeds")
    parser.add_argument("--variants", type=str, nargs="+", help="do these variants only")
    parser.add_argument(
        "--only-missing",
        action="store_true",
        help="leave runs that were begun with another configuration as they are, and do the rest",
    )
    parser.add_argument(
        "--whatever-room",
        action="store_true",
        help="begin even where the disk seems too small for the checkpoints",
    )
    add_set(parser)
    add_wandb(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the models and what would be run, and check what can be without doing any",
    )
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.experiment.classes import class_paths
    from mocha_lightning.experiment.file import read_file

    # A mistake in the file's form is told before the seconds that importing torch takes.
    file, _ = read_file(Path(options.experiment))
    settings = settings_of(options.set)
    check_executor(options)
    nodes = settings.get("trainer.num_nodes", file.trainer.get("num_nodes"))
    # What a variant changes of it, and whether it can be one, is seen later.
    if isinstance(nodes, int) and not options.dry_run:
        check_nodes(options, nodes)
    say_loading(sys.stdout)
    if not options.dry_run:
        begin_early(options, file.threads, class_paths(file.model_dump()))
    from mocha_lightning.experiment.board import Board
    from mocha_lightning.experiment.definition import load_experiment
    from mocha_lightning.experiment.dry_run import dry_run
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.overview import print_runs, print_variants, wanted
    from mocha_lightning.experiment.prepare import prepare
    from mocha_lightning.experiment.record import record
    from mocha_lightning.experiment.runner import run_all
    from mocha_lightning.experiment.writable import check_writable

    make_folder_importable()
    experiment = load_experiment(Path(options.experiment), options.name, options.seeds, settings)
    console = Console()
    folder = Path(options.runs) / experiment.name
    if is_sweep(folder):
        raise UserError(f"{folder}: is of a sweep: give the experiment another name (--name)")
    check_writable(Path(options.reports) / experiment.name, "--reports")
    specs = experiment.runs(as_typed(words), options.variants)
    checks = {"only_missing": options.only_missing, "whatever_room": options.whatever_room}
    if options.dry_run:
        given = [options.experiment, *(["--set", *options.set] if options.set else [])]
        dry_run(experiment, specs, folder, given, console, **checks)
        return DONE
    executor = executor_of(options, folder, specs)
    prepared = prepare(experiment, specs, folder, **checks)
    specs = prepared.specs
    print_variants(wanted(experiment, specs), prepared.sizes, console)
    print_runs(experiment, prepared, folder, console)
    record(experiment, folder)
    jobs = options.jobs or executor.slots
    with Board(console, jobs, experiment.metric.validation) as board:
        runs = run_all(specs, folder, jobs, executor, board)
    failed = tell_failures(runs, console)
    if failed < len(runs):
        report_on(folder, Path(options.reports), console)
    return SOME_FAILED if failed else DONE


COMMAND = Command("do the runs of an experiment and report", _parser, _do)
