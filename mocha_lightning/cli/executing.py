"""Where a command has its runs done: the options, and the executor that they ask for."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from jsonargparse import Namespace

from mocha_lightning.cli.parsing import Parser, above_0, finite, not_empty, wandb_settings
from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.door import needs_cluster
from mocha_lightning.experiment.executors.head import check_head, head_of
from mocha_lightning.experiment.executors.options import MINUTES, NO_SLURM, OPTIONS, flag

if TYPE_CHECKING:
    from mocha_lightning.experiment.executors.base import Executor
    from mocha_lightning.experiment.spec import RunSpec

MEANINGS = {
    "process": "processes of this machine",
    "serial": "this very process, for a debugger",
    "ray": "a Ray cluster",
    "slurm": "SLURM",
}
PACKAGES = {"ray": "ray", "slurm": "submitit"}
"""What an executor stands on."""
SMALLEST = 0.01
"""The least part of a core or a GPU that a run can ask for."""
SHORTEST_MINUTES, LONGEST_MINUTES = 5, 1_000_000
"""Time limits of a job: shorter, it would hardly have begun when it is warned of its end."""


def add_executor(parser: Parser, names: Sequence[str]) -> None:
    """Add the choice among executors, and what those elsewhere are asked for.

    Args:
        parser: of a command.
        names: of those that the command can use; the first is the default.
    """
    told = "; ".join(f"{name}: {MEANINGS[name]}" for name in names)
    parser.add_argument(
        "--executor",
        choices=names,
        default=names[0],
        help=f"what does the runs ({told}; default: {names[0]})",
    )
    parser.add_argument(
        "--address",
        type=not_empty,
        help="ray: of the cluster's head, as 10.0.0.1:6379 (default: RAY_ADDRESS, else a cluster "
        "on this machine for as long as the command takes)",
    )
    parser.add_argument(
        "--gather",
        choices=("auto", "never", "always"),
        help="ray: bring results back from nodes that do not see the folder of runs (auto; "
        "default), refuse such nodes (never), or bring back all (always)",
    )
    parser.add_argument(
        "--cpus-per-run",
        type=amount,
        metavar="N",
        help="ray, slurm: cores, of each of its nodes (default: 1; of a run by several "
        "processes, trainer.devices x threads)",
    )
    parser.add_argument(
        "--gpus-per-run",
        type=amount,
        metavar="N",
        help="ray, slurm: GPUs, of each of its nodes; with ray it can be a fraction (default: 0)",
    )
    parser.add_argument(
        "--cluster",
        choices=("slurm", "local"),
        help="slurm: local does the jobs on this machine, to try it (default: slurm)",
    )
    parser.add_argument(
        "--partition", type=not_empty, metavar="NAME", help="slurm: where jobs wait"
    )
    parser.add_argument(
        "--time-limit",
        type=minutes,
        metavar="MINUTES",
        help=f"slurm: of a job, at least 5; it is queued again before it ends (default: {MINUTES})",
    )


def amount(text: str) -> float:
    """How much of something a run gets."""
    number = finite(text)
    if number < 0:
        raise ArgumentTypeError(f"must be at least 0, not {text}")
    return number


def minutes(text: str) -> int:
    """A time limit that leaves time for a run."""
    number = above_0(text)
    if not SHORTEST_MINUTES <= number <= LONGEST_MINUTES:
        raise ArgumentTypeError(
            f"must be from {SHORTEST_MINUTES} to {LONGEST_MINUTES:,} minutes, not {text}"
        )
    return number


def begin_early(options: Namespace, threads: int, classes: Iterable[str]) -> None:
    """Have what runs are forks of import beside this process, which needs as long for its own."""
    from mocha_lightning.experiment.server import begin_server

    if options.executor == "process":
        begin_server(threads, classes, wandb_settings(options))


def check_executor(options: Namespace) -> None:
    """Check what can be checked before anything is imported.

    Raises:
        UserError: an option is another executor's, or the executor cannot do it.
    """
    for option, executors in OPTIONS.items():
        if options[option] is not None and options.executor not in executors:
            raise UserError(
                f"{flag(option)}: is for --executor {' or '.join(executors)}, not "
                f"{options.executor}: leave it out, or choose that executor"
            )
    if options.executor == "serial" and options.jobs not in (None, 1):
        raise UserError("--jobs: serial does one run at a time: leave --jobs out")
    if options.cpus_per_run == 0:
        raise UserError("--cpus-per-run: a run needs some of a core: give more than 0")
    for option in ("cpus_per_run", "gpus_per_run"):
        value = options[option]
        if value and value < SMALLEST:
            none = ", or no GPU" if option == "gpus_per_run" else ""
            raise UserError(f"{flag(option)} {value:g}: give at least {SMALLEST:g}{none}")
        if value and value > 1 and not value.is_integer() and options.executor == "ray":
            raise UserError(
                f"{flag(option)} {value:g}: Ray gives a part of one, or whole ones: "
                "give a whole number, or less than 1"
            )
        if options.executor == "slurm" and value is not None and not value.is_integer():
            raise UserError(
                f"{flag(option)} {value:g}: SLURM gives whole ones only: give a whole number"
            )
    if options.cluster == "local":
        _check_local(options)
    if package := PACKAGES.get(options.executor):
        _check_there(options, package)
    if options.executor == "ray":
        check_head(options.address)


def check_nodes(options: Namespace, nodes: int) -> None:
    """Check that other machines can take part in a run of several.

    Args:
        options: those of :func:`add_executor`.
        nodes: of the run.

    Raises:
        UserError: there is but this machine.
    """
    if nodes > 1 and options.executor in ("process", "serial"):
        raise needs_cluster(nodes)
    if nodes > 1 and options.cluster == "local":
        raise UserError(
            f"--cluster local: is this machine alone, and trainer.num_nodes is {nodes}: leave out "
            "one of the two"
        )


def _check_there(options: Namespace, package: str) -> None:
    if find_spec(package) is None:
        raise _absent(options.executor, f"there is no {package} here: install it")
    if options.executor == "slurm" and options.cluster != "local" and which("srun") is None:
        raise UserError(NO_SLURM)


def _check_local(options: Namespace) -> None:
    if options.partition is not None:
        raise UserError("--partition: --cluster local has none: leave it out")
    if options.gpus_per_run:
        raise UserError(
            "--gpus-per-run: with --cluster local the jobs share all GPUs of this machine: leave "
            "it out"
        )
    if options.cpus_per_run and options.cpus_per_run > cores():
        raise UserError(
            f"--cpus-per-run {options.cpus_per_run:g}: --cluster local is this machine, which has "
            f"{cores()} cores: ask for less"
        )


def executor_of(options: Namespace, experiment: Path, specs: Sequence["RunSpec"]) -> "Executor":
    """The executor that was asked for.

    Args:
        options: those of :func:`add_executor`.
        experiment: the folder ``runs/<experiment>``.
        specs: runs that are made of all that any will be made of.

    Raises:
        UserError: it is not there, or cannot do such runs.
    """
    check_nodes(options, _nodes(specs))
    make: dict[str, Callable[[Namespace, Path, Sequence[RunSpec]], Executor]] = {
        "process": _processes,
        "serial": _serial,
        "ray": _ray,
        "slurm": _slurm,
    }
    return make[options.executor](options, experiment, specs)


def _processes(options: Namespace, *_: object) -> "Executor":
    from mocha_lightning.experiment.executors.process import Processes

    return Processes(wandb_settings(options))


def _serial(options: Namespace, *_: object) -> "Executor":
    from mocha_lightning.experiment.executors.serial import Serial

    return Serial(wandb_settings(options))


def _ray(options: Namespace, experiment: Path, specs: Sequence["RunSpec"]) -> "Executor":
    try:
        from mocha_lightning.experiment.executors.on_ray import Ray
        from mocha_lightning.experiment.executors.ray_nodes import Request
    except (ImportError, OSError) as error:
        raise _absent("ray", f"cannot be imported ({error}): install it again") from error
    from mocha_lightning.experiment.commit import git_state
    from mocha_lightning.experiment.provenance import taking_part
    from mocha_lightning.experiment.sources import source_files

    request = Request(
        head_of(options.address),
        options.cpus_per_run or _cores(specs),
        options.gpus_per_run or 0,
        options.gather or Request.gather,
        _nodes(specs),
    )
    # The seeds of a variant are of the same code, which is read once.
    variants = {spec.variant: spec for spec in specs}.values()
    modules = {name: file for spec in variants for name, file in source_files(spec.config).items()}
    beside = set().union(*map(taking_part, variants))
    return Ray(request, experiment, wandb_settings(options), modules, git_state(beside=beside))


def _slurm(options: Namespace, experiment: Path, specs: Sequence["RunSpec"]) -> "Executor":
    try:
        from mocha_lightning.experiment.executors.on_slurm import Request, Slurm
    except (ImportError, OSError) as error:
        raise _absent("slurm", f"cannot be imported ({error}): install it again") from error

    request = Request(
        options.cluster or Request.cluster,
        options.partition,
        options.time_limit or Request.minutes,
        int(options.cpus_per_run or _cores(specs)),
        int(options.gpus_per_run or 0),
    )
    return Slurm(request, experiment, wandb_settings(options))


def _nodes(specs: Sequence["RunSpec"]) -> int:
    """The most that a run has."""
    return max((spec.nodes for spec in specs), default=1)


def _cores(specs: Sequence["RunSpec"]) -> int:
    """What each run gets of a node where the command does not say."""
    return max((spec.cores for spec in specs), default=1)


def _absent(extra: str, problem: str) -> UserError:
    return UserError(f"--executor {extra}: {problem}: pip install 'mocha-lightning[{extra}]'")
