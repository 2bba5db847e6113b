"""``mocha-lightning sweep``: search for the best numbers of a variant."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonargparse import Namespace
from rich.console import Console

from mocha_lightning.cli.executing import (
    add_executor,
    begin_early,
    check_executor,
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
from mocha_lightning.experiment.places import EXPERIMENT

if TYPE_CHECKING:
    from mocha_lightning.experiment.executors.base import Executor
    from mocha_lightning.sweep.definition import Sweep
    from mocha_lightning.sweep.search import Search


def _parser() -> Parser:
    parser = Parser(
        description="Try settings of a variant, chosen by Optuna, and report which is best on the "
        "validation split. Stopped with Ctrl-C, the same command goes on where it stood; given "
        "again in another terminal, it works beside the first one."
    )
    parser.add_argument("sweep", type=str, help="a file such as sweeps/speech-mocha-small.yaml")
    parser.add_argument(
        "--jobs", type=above_0, help="trials at once (default: as many as there is room for)"
    )
    add_executor(parser, ("process", "ray", "slurm"))
    add_folder(parser, "runs")
    add_folder(parser, "reports")
    parser.add_argument("--name", type=str, help="the sweep's name (default: the file's)")
    parser.add_argument(
        "--trials", type=above_0, help="settings to try in all, instead of the file's"
    )
    parser.add_argument("--seeds", type=from_0, nargs="+", help="instead of the file's seeds")
    parser.add_argument(
        "--storage",
        type=str,
        help="where Optuna keeps the study: sqlite (a file in the sweep's folder; default), "
        "journal (another kind of file), or the URL of a database",
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
        help="prepare the data, check everything and try nothing",
    )
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.sweep.file import read_file

    # A mistake in the file's form is told before the seconds that importing torch takes.
    file, _ = read_file(Path(options.sweep))
    settings = settings_of(options.set)
    check_executor(options)
    if options.executor == "slurm" and options.jobs is None:
        raise UserError("--jobs: is missing: SLURM does not tell how many trials fit at once")
    say_loading(sys.stdout)
    from mocha_lightning.sweep.belonging import check
    from mocha_lightning.sweep.overview import print_sweep
    from mocha_lightning.sweep.room import check_room_for_trials

    sweep = _ready(options, settings)
    console = Console()
    folder = Path(options.runs) / sweep.name
    built = sweep.check_ends()
    given = sweep.runs(sweep.variant, built.data_sha256, "")
    executor = executor_of(options, folder, given)
    jobs = options.jobs or executor.slots
    if not options.whatever_room:
        check_room_for_trials(sweep, folder, built.parameters, jobs)
    storage = options.storage or file.storage
    check(sweep, folder, storage, built.data_sha256)
    print_sweep(sweep, built.parameters, folder, console)
    if options.dry_run:
        return DONE
    search = _begun(sweep, folder, storage, built.data_sha256, jobs, words)
    failed = _carry_out(search, folder, executor, console)
    report_on(folder, Path(options.reports), console)
    return SOME_FAILED if failed else DONE


def _ready(options: Namespace, settings: dict[str, Any]) -> "Sweep":
    """Load the sweep, rehearse it, and see that its folders can be its own."""
    from mocha_lightning.experiment.classes import class_paths
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.writable import check_writable
    from mocha_lightning.sweep.definition import load_sweep
    from mocha_lightning.sweep.rehearsal import rehearse

    make_folder_importable()
    sweep = load_sweep(
        Path(options.sweep),
        name=options.name,
        seeds=options.seeds,
        trials=options.trials,
        settings=settings,
    )
    rehearse(sweep)
    if not options.dry_run:
        begin_early(options, sweep.experiment.threads, class_paths(sweep.variant.config))
    folder = Path(options.runs) / sweep.name
    check_writable(folder, "--runs")
    check_writable(Path(options.reports) / sweep.name, "--reports")
    if (folder / EXPERIMENT).exists():
        raise UserError(f"{folder}: is of an experiment: give the sweep another name (--name)")
    return sweep


def _begun(
    sweep: "Sweep", folder: Path, storage: str, data_sha256: str, jobs: int, words: Sequence[str]
) -> "Search":
    """Make the sweep's folder and its study, or join those that are there."""
    from mocha_lightning.sweep.record import record
    from mocha_lightning.sweep.search import Search
    from mocha_lightning.sweep.storage import without_password
    from mocha_lightning.sweep.study import Study

    folder.mkdir(parents=True, exist_ok=True)
    study = Study(sweep, folder, storage, data_sha256)
    record(sweep, folder, storage)
    return Search(sweep, study, jobs, as_typed([*map(without_password, words)]), data_sha256)


def _carry_out(search: "Search", folder: Path, executor: "Executor", console: Console) -> int:
    """Do the trials and write the best setting.

    Returns:
        How many runs failed.
    """
    from mocha_lightning.experiment.board import Board
    from mocha_lightning.experiment.runner import run_growing

    with Board(console, search.jobs, search.sweep.metric.validation) as board:
        runs = run_growing(search, folder, search.jobs, executor, board)
    failed = tell_failures(runs, console)
    # Statistics, which nobody needs before.
    from mocha_lightning.sweep.best import write_best

    write_best(search.sweep, folder)
    return failed


COMMAND = Command("search for the best numbers of a variant", _parser, _do)
