"""A run that is done away from the command that asked for it: on a node of a cluster.

There it is the child of a process of the cluster's, just as at home it is one of the command's: it
has its own log, begins from what has imported all it needs, and ends with its parent.
"""

import os
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.commit import PACKAGES
from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.executors.process import begin_process, end_processes
from mocha_lightning.experiment.imports import make_folder_importable
from mocha_lightning.experiment.signals import blocked
from mocha_lightning.experiment.sources import unknown_module
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings

LOOK_SECONDS = 1.0
"""How often a parent does what it does beside its run."""
WARNINGS = (signal.SIGUSR2,)
"""SLURM's warning of a time limit may reach all processes of a job, and those that do not expect it
would die: what begins there begins with it blocked."""


@dataclass(frozen=True)
class Errand:
    """What a node is told of a run.

    Attributes:
        folder: the run's, absolute.
        spec: the run.
        wandb: what W&B is told of it.
        home: the folder from which the command was given; paths may be relative to it.
        versions: :func:`installed` where the command was given.
    """

    folder: Path
    spec: RunSpec
    wandb: WandbSettings
    home: Path
    versions: Mapping[str, str]


def installed() -> dict[str, str]:
    """The versions that numbers depend on; of a package that is not there: ``none``."""
    found = {"python": python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def check_versions(node: str, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Check that a node computes with what the command has.

    Raises:
        UserError: it does not.
    """
    for package, wanted in here.items():
        if there.get(package) != wanted:
            raise UserError(
                f"{node} has {package} {there.get(package)} and this command {wanted}, so results "
                "would not be comparable: install the same on both"
            )


def settle(errand: Errand) -> None:
    """Have this process be where, and have what, the command's has.

    Raises:
        UserError: versions or code here differ from the command's.
    """
    check_versions(socket.gethostname(), installed(), errand.versions)
    # Where the command's own folder is not to be seen, what is relative to it is made here.
    with suppress(OSError):
        os.chdir(errand.home)
    make_folder_importable()
    if module := unknown_module(errand.spec.config, errand.spec.sources):
        raise UserError(
            f"{module}: is not, on {socket.gethostname()}, what it was when the command was given: "
            "leave it alone while runs go on, or give the new one another name"
        )


def do_in_child(
    errand: Errand, folder: Path, beside: Callable[[], None], door: Door | None = None
) -> int:
    """Do a run in a child of this process.

    Args:
        errand: the run.
        folder: its folder here.
        beside: is called as the run goes on.
        door: where other nodes come, if it is done by several.

    Returns:
        The child's exit code.

    Raises:
        UserError: versions here differ from the command's.
        BaseException: whatever came while it waited, after the child has ended in good order.
    """
    settle(errand)
    with blocked(WARNINGS):
        process = begin_process(folder, errand.spec, errand.wandb, door)
    try:
        while process.exitcode is None:
            process.join(LOOK_SECONDS)
            beside()
    finally:
        end_processes([process])
    return process.exitcode
