"""Runs as tasks of a Ray cluster, which places them, waits for room, and moves what a node lost."""

import atexit
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from uuid import uuid4

import ray
from ray.exceptions import RayError, RayTaskError, TaskCancelledError
from ray.util.placement_group import (
    PlacementGroup,
    get_current_placement_group,
    placement_group,
    remove_placement_group,
)
from ray.util.scheduling_strategies import (
    NodeAffinitySchedulingStrategy,
    PlacementGroupSchedulingStrategy,
)

from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.executors.away import (
    Errand,
    check_versions,
    do_in_child,
    installed,
)
from mocha_lightning.experiment.executors.base import GRACE_SECONDS, Ended, Job, say_stopping
from mocha_lightning.experiment.executors.gathering import Files, Keeper, do_gathered
from mocha_lightning.experiment.executors.lending import lend
from mocha_lightning.experiment.executors.parcel import pack
from mocha_lightning.experiment.exits import GONE, MISTAKE, STOPPED
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings

Gather = Literal["auto", "never", "always"]
LOCAL = "local"
"""The address of a cluster that is begun on this machine, for the time of the command."""
RETRIES = 3
"""Times that Ray itself begins a run again whose node or worker is gone."""
CONNECT_SECONDS = 5.0
LOOK_SECONDS = 0.2
NOTICE_SECONDS = 15.0
"""What a cluster may need to notice that a node is dead which does nothing."""
HEAD_SECONDS = 5.0
"""Between two looks whether the cluster's head is still there, and what each may take."""
HEAD_TRIES = 3
"""Looks in a row that find no head, after which it is gone."""


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


class Ray:
    """An executor; this process is connected to the cluster from its making to :meth:`stop`.

    Args:
        request: what is asked of the cluster.
        experiment: the folder ``runs/<experiment>``.
        wandb: what W&B is told of the runs.
        modules: of the user's own classes, by name.
        origin: the commit of the code.

    Raises:
        UserError: the cluster is not there, or could not do a run.
    """

    def __init__(
        self,
        request: Request,
        experiment: Path,
        wandb: WandbSettings,
        modules: Mapping[str, Path],
        origin: Mapping[str, Any],
    ) -> None:
        self.request = request
        self.wandb = wandb
        self.experiment = experiment.resolve()
        with TemporaryDirectory(prefix="mocha-lightning-") as parcel:
            pack(Path(parcel), modules, origin)
            _connect(request.address, parcel)
        try:
            self.head = str(ray.get_runtime_context().gcs_address)
            self.slots = _room(request)
            self.experiment.mkdir(parents=True, exist_ok=True)
            # Seen by a node that sees this folder, and by no other.
            self.sign = self.experiment / f".seen-{uuid4().hex}"
            self.sign.touch()
            atexit.register(self._close)
            self._check_nodes()
        except BaseException:
            self._close()
            raise
        node = ray.get_runtime_context().get_node_id()
        here = NodeAffinitySchedulingStrategy(node, soft=False)
        self.keeper = ray.remote(Keeper).options(num_cpus=0, scheduling_strategy=here).remote()
        self.do = ray.remote(num_cpus=request.cpus, num_gpus=request.gpus, max_retries=RETRIES)(
            do_errand
        )
        self.jobs: dict[Any, RayJob] = {}
        self._looked = self._saw_head = 0.0
        self._missed = 0

    def begin(self, specs: Mapping[Path, RunSpec]) -> Sequence[Job]:
        """Give runs to the cluster."""
        begun = []
        for folder, spec in specs.items():
            errand = Errand(folder.resolve(), spec, self.wandb, Path.cwd(), installed())
            group = self._nodes_for(spec)
            task = self.do.options(name=spec.name, scheduling_strategy=_bundle(group, 0)).remote(
                errand, self.sign, self.request.gather, self.keeper
            )
            self.jobs[task] = RayJob(self, group)
            begun.append(self.jobs[task])
        return begun

    def look(self) -> None:
        """Learn which runs are over.

        Raises:
            UserError: the head is gone.
        """
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._check_head()
        tasks = list(self.jobs)
        over, _ = ray.wait(tasks, num_returns=len(tasks), timeout=0) if tasks else ([], [])
        for task in over:
            job = self.jobs.pop(task)
            job.ended = _end_of(task)
            if job.group is not None:
                remove_placement_group(job.group)
        self._looked = time.monotonic()

    def stop(self) -> None:
        """Ask all runs to end, and leave the cluster, which kills those that take too long."""
        try:
            if self.jobs and not self._missed:
                say_stopping()
                for task in self.jobs:
                    # The other nodes of a run end when it does.
                    ray.cancel(task, recursive=False)
                tasks = list(self.jobs)
                ray.wait(tasks, num_returns=len(tasks), timeout=GRACE_SECONDS)
        finally:
            self._close()

    def _nodes_for(self, spec: RunSpec) -> PlacementGroup | None:
        """Nodes that do a run together; None for a run of one."""
        if spec.nodes == 1:
            return None
        each = {"CPU": self.request.cpus, "GPU": self.request.gpus}
        bundle = {kind: amount for kind, amount in each.items() if amount}
        return placement_group([bundle] * spec.nodes, "STRICT_SPREAD")

    def _close(self) -> None:
        """Leave the cluster."""
        if sign := getattr(self, "sign", None):
            sign.unlink(missing_ok=True)
        ray.shutdown()

    def _check_head(self) -> None:
        """Notice by ourselves that the head is gone; Ray would end this process without a word."""
        if time.monotonic() - self._saw_head < HEAD_SECONDS:
            return
        self._missed = 0 if _answers(self.head) else self._missed + 1
        self._saw_head = time.monotonic()
        if self._missed >= HEAD_TRIES:
            raise UserError(
                f"{self.head}: the head of the Ray cluster is gone: begin it again, and the same "
                "command goes on from the last validations"
            )

    def _check_nodes(self) -> None:
        """Have each node say what it has and sees, before any run is begun there."""
        here = installed()
        look = ray.remote(_look())
        asked = [
            (
                node,
                look.options(
                    num_cpus=0,
                    scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
                ).remote(list(here), str(self.sign)),
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
                    f"{name}: no run can be begun on this node: {_line(error)}: mend it, or take "
                    "it out of the cluster"
                ) from error
            check_versions(name, there, here)
            if self.request.gather == "never" and not sees:
                raise UserError(
                    f"{name}: cannot see {self.experiment}: put --runs where all nodes see it, or "
                    "have results brought back over Ray (--gather auto)"
                )


@dataclass
class RayJob:
    """A run in the hands of a cluster."""

    executor: Ray
    group: PlacementGroup | None
    ended: Ended | None = None

    @property
    def exitcode(self) -> int | None:
        """How it ended."""
        if self.ended is None:
            self.executor.look()
        return self.ended.exitcode if self.ended else None

    @property
    def said(self) -> str:
        """What its log does not say."""
        return self.ended.said if self.ended else ""


def do_errand(errand: Errand, sign: Path, gather: Gather, keeper: Any) -> Ended:
    """Do a run: the task that a node is given."""
    try:
        with _other_nodes(errand) as door:
            if gather != "always" and sign.exists():
                return Ended(do_in_child(errand, errand.folder, lambda: None, door))
            if gather == "never":
                return Ended(MISTAKE, f"{socket.gethostname()}: cannot see {errand.folder}")
            return do_gathered(errand, _RemoteKeeper(keeper), door)
    except UserError as error:
        return Ended(MISTAKE, str(error))
    except KeyboardInterrupt:  # what cancelling is, on this side
        return Ended(STOPPED)


@contextmanager
def _other_nodes(errand: Errand) -> Iterator[Door | None]:
    """Have the other nodes that are kept for a run come to a door here; None where it has none."""
    if errand.spec.nodes == 1:
        yield None
        return
    group = get_current_placement_group()
    with closing(Door(ray.util.get_node_ip_address())) as door:
        for node, bundle in enumerate(group.bundle_specs[1:], 1):
            ray.remote(lend).options(
                name=f"{errand.spec.name} (node {node + 1})",
                num_cpus=bundle.get("CPU", 0),
                num_gpus=bundle.get("GPU", 0),
                max_retries=0,
                scheduling_strategy=_bundle(group, node),
            ).remote(errand, node, door.address)
        yield door


def _bundle(group: PlacementGroup | None, number: int) -> Any:
    """Which node of a group a task is for; any where there is no group."""
    return PlacementGroupSchedulingStrategy(group, number) if group else "DEFAULT"


class _RemoteKeeper:
    """The keeper, as it is called from a node."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor

    def begin(self, folder: Path, attempt: str) -> Files | None:
        found: Files | None = _got(self.actor.begin.remote(folder, attempt))
        return found

    def keep(self, folder: Path, attempt: str, files: Files) -> Files:
        told: Files = _got(self.actor.keep.remote(folder, attempt, files))
        return told

    def end(self, folder: Path, attempt: str) -> None:
        _got(self.actor.end.remote(folder, attempt))


def _got(answer: Any) -> Any:
    """What an actor gave, or raise what it raised, rather than Ray's wrapping of it."""
    try:
        return ray.get(answer)
    except RayTaskError as error:
        raise error.cause from error


def _connect(address: str, parcel: str) -> None:
    if address != LOCAL and not _answers(address):
        raise UserError(
            f"--address {address}: no Ray cluster answers there: give the address of its head, as "
            "10.0.0.1:6379, from one of its nodes, or leave it out for a cluster on this machine"
        )
    # Without it Ray warns of what is no business of a user's.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    own: dict[str, Any] = {"num_cpus": cores()} if address == LOCAL else {}
    try:
        ray.init(
            address,
            runtime_env={"working_dir": parcel},
            include_dashboard=False if address == LOCAL else None,
            log_to_driver=False,
            logging_level="ERROR",
            **own,
        )
    except Exception as error:  # Ray raises just that, too
        raise UserError(
            f"--address {address}: cannot join the Ray cluster: {_line(error)}: mend that, or give "
            "another address"
        ) from error


def _room(request: Request) -> int:
    """Runs for which the cluster has room at once.

    Raises:
        UserError: there is none for even one, on any nodes, however long it would wait.
    """
    nodes = [(_name(node), node["Resources"]) for node in _nodes()]
    fitting = [_fitting(resources, request) for _, resources in nodes]
    room = 0
    # A run has its nodes for itself, but a node may have parts of several runs.
    while sum(min(each, room + 1) for each in fitting) >= request.nodes * (room + 1):
        room += 1
    if not room:
        none = "no node" if request.nodes == 1 else f"no {request.nodes} nodes"
        told = ", ".join(
            f"{name} has {each.get('CPU', 0):g} CPUs and {each.get('GPU', 0):g} GPUs"
            for name, each in nodes
        )
        raise UserError(
            f"--cpus-per-run {request.cpus:g} --gpus-per-run {request.gpus:g}: {none} of the "
            f"Ray cluster can ever have that for a run ({told}): ask for less"
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


def _answers(address: str) -> bool:
    """Whether anything listens there."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _end_of(task: Any) -> Ended:
    """How a run ended whose task is over."""
    try:
        ended: Ended = ray.get(task)
        return ended
    except TaskCancelledError:
        return Ended(STOPPED)
    except RayError as error:
        return Ended(GONE, f"lost with what did it on the cluster: {_line(error)}")


def _line(error: BaseException) -> str:
    return next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)


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
