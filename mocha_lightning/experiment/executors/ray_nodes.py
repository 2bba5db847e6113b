"""A Ray cluster as a command finds it: whether it answers, what its nodes have and see."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal
from uuid import uuid4

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.away import check_versions, installed
from mocha_lightning.experiment.executors.head import LOCAL
from mocha_lightning.experiment.locks import is_busy, locked
from mocha_lightning.experiment.places import LOCK
from mocha_lightning.experiment.signals import blocked

Gather = Literal["auto", "never", "always"]
NOTICE_SECONDS = 15.0
"""What a cluster may need to notice that a node is dead which does nothing."""
LOOK_SECONDS = 0.2
SIGN = ".seen-"


@dataclass(frozen=True)
class Request:
    """What is asked of a cluster.

    Attributes:
        address: of its head, or ``local``.
        cpus: of each run, on each of its nodes.
        gpus: of each run, on each of its nodes; may be a fraction.
        gather: whether results come back over Ray: where a node does not see the folder of
            runs, never, or from all.
        nodes: of each run; the most where they differ.
    """

    address: str = LOCAL
    cpus: float = 1
    gpus: float = 0
    gather: Gather = "auto"
    nodes: int = 1


def connect(address: str, parcel: str) -> None:
    """Join a cluster, or begin one on this machine.

    Args:
        address: of its head, or ``local``.
        parcel: a folder of code that its nodes are given.

    Raises:
        UserError: there is none.
    """
    # Without it Ray warns of what is no business of a user's.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # It would end this process without a word when the head is gone for a minute, which a busy
    # machine may need to notice that and say so.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "600")
    own: dict[str, Any] = {}
    if address == LOCAL:
        own = {"num_cpus": cores(), "include_dashboard": False}
        # A cluster of this command's own reports to nobody.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Ray has its workers wait for all else on a machine; here nothing else is as important.
        os.environ.setdefault("RAY_worker_niceness", "0")
    heard = signal.getsignal(signal.SIGTERM)
    try:
        # Where its terminal is closed, this process has the runs end before their cluster does.
        with blocked((signal.SIGHUP,)):
            ray.init(
                address,
                runtime_env={"working_dir": parcel},
                log_to_driver=False,
                logging_level="ERROR",
                **own,
            )
    except Exception as error:  # Ray raises just that, too
        if address == LOCAL:
            raise UserError(
                "--executor ray: no Ray cluster can be begun on this machine: "
                f"{first_line(error)}: mend that, try again when the machine is less busy, or join "
                "one that is there (--address)"
            ) from error
        raise UserError(
            f"{address}: cannot join the Ray cluster: {first_line(error)}: if it asks for a "
            "token, set RAY_AUTH_MODE=token here; else mend that, or give another --address"
        ) from error
    finally:
        # Ray would end this process with a number of its own, and without a word.
        signal.signal(signal.SIGTERM, heard)


def room_of(request: Request) -> int:
    """Runs for which the cluster has room at once.

    Raises:
        UserError: there is none for even one, on any nodes, however long it would wait.
    """
    nodes = [(_name(node), node["Resources"]) for node in _nodes()]
    fitting = [_fitting(resources, request) for _, resources in nodes]
    room = 0
    # The nodes of a run are different ones, each of which may have parts of several runs.
    while sum(min(each, room + 1) for each in fitting) >= request.nodes * (room + 1):
        room += 1
    if not room:
        several = f"trainer.num_nodes {request.nodes} " if request.nodes > 1 else ""
        none = "no node" if request.nodes == 1 else f"no {request.nodes} nodes"
        told = ", ".join(
            f"{name} has {each.get('CPU', 0):g} CPUs and {each.get('GPU', 0):g} GPUs"
            for name, each in nodes
        )
        raise UserError(
            f"{several}--cpus-per-run {request.cpus:g} --gpus-per-run {request.gpus:g}: {none} of "
            f"the Ray cluster can ever have that for a run ({told}): ask for less"
        )
    return room


def _fitting(resources: Mapping[str, float], request: Request) -> int:
    wanted = {"CPU": request.cpus, "GPU": request.gpus}
    return min(
        int(resources.get(kind, 0) / amount + 1e-9) for kind, amount in wanted.items() if amount
    )


def _nodes() -> list[dict[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]


def _is_lost(node: Mapping[str, Any]) -> bool:
    """Whether a node is dead, which the cluster may need a while to notice."""
    deadline = time.monotonic() + NOTICE_SECONDS
    while any(each["NodeID"] == node["NodeID"] for each in _nodes()):
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True


def _name(node: Mapping[str, Any]) -> str:
    return f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"


@contextmanager
def sign_in(experiment: Path) -> Iterator[Path]:
    """Leave a sign in a folder for as long as it takes: who sees the sign sees the folder.

    No copy of the folder has it, since no other command's is the same. Those of commands that
    were killed are cleared away.
    """
    experiment.mkdir(parents=True, exist_ok=True)
    for old in experiment.glob(f"{SIGN}*"):
        if (old / LOCK).exists() and not is_busy(old):
            rmtree(old, ignore_errors=True)
    sign = experiment / f"{SIGN}{uuid4().hex}"
    sign.mkdir()
    try:
        with locked(sign):
            yield sign
    finally:
        rmtree(sign, ignore_errors=True)


def check_nodes(experiment: Path, sign: Path, gather: Gather) -> None:
    """Have each node say what it has and sees, before any run is begun there.

    Args:
        experiment: the folder ``runs/<experiment>``.
        sign: a file in it.
        gather: whether results come back over Ray.

    Raises:
        UserError: a node could not do a run, or not the same one.
    """
    here = installed()
    look = ray.remote(_look())
    asked = [
        (
            node,
            look.options(
                num_cpus=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
            ).remote(list(here), str(sign)),
        )
        for node in _nodes()
    ]
    for node, answer in asked:
        name = _name(node)
        try:
            there, sees = ray.get(answer)
        except RayError as error:
            if _is_lost(node):
                continue
            raise UserError(
                f"{name}: no run can be begun on this node: {first_line(error)}: mend it, or take "
                "it out of the cluster"
            ) from error
        check_versions(name, there, here)
        if gather == "never" and not sees:
            raise UserError(
                f"{name}: cannot see {experiment}: put --runs where all nodes see it, or "
                "have results brought back over Ray (--gather auto)"
            )


def first_line(error: BaseException) -> str:
    """What an error of Ray says before its traceback."""
    lines = (line.strip().rstrip(".") for line in str(error).splitlines())
    return next(filter(None, lines), type(error).__name__)


def _look() -> Callable[[list[str], str], tuple[dict[str, str], bool]]:
    """What a node says of itself; made here, so that a node without this package can be asked."""

    def look(packages: list[str], sign: str) -> tuple[dict[str, str], bool]:
        from importlib.metadata import PackageNotFoundError, version
        from pathlib import Path
        from platform import python_version

        found = {}
        for package in packages:
            try:
                found[package] = python_version() if package == "python" else version(package)
            except PackageNotFoundError:
                found[package] = "none"
        return found, Path(sign).exists()

    return look
