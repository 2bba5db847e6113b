"""Runs as tasks of a Ray cluster, which places them, waits for room, and moves what a node lost."""

import atexit
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray
from ray.exceptions import RayError, TaskCancelledError
from ray.util.placement_group import (
    PlacementGroup,
    placement_group,
    remove_placement_group,
)
from ray.util.scheduling_strategies import (
    NodeAffinitySchedulingStrategy,
)

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.away import (
    Errand,
    installed,
)
from mocha_lightning.experiment.executors.base import GRACE_SECONDS, Ended, Job, say_stopping
from mocha_lightning.experiment.executors.gathering import Keeper
from mocha_lightning.experiment.executors.head import answers
from mocha_lightning.experiment.executors.parcel import pack
from mocha_lightning.experiment.executors.ray_errand import bundle_of, do_errand
from mocha_lightning.experiment.executors.ray_nodes import (
    LOOK_SECONDS,
    Request,
    check_nodes,
    connect,
    first_line,
    room_of,
    sign_in,
)
from mocha_lightning.experiment.exits import GONE, STOPPED
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings

RETRIES = 3
"""Times that Ray itself begins a run again whose node or worker is gone."""
HEAD_SECONDS = 5.0
"""Between two looks whether the cluster's head is still there, and what each may take."""
HEAD_TRIES = 3
"""Looks in a row that find no head, after which it is gone."""


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
        self._signs = ExitStack()
        with TemporaryDirectory(prefix="mocha-lightning-") as parcel:
            pack(Path(parcel), modules, origin)
            connect(request.address, parcel)
        try:
            self.head = str(ray.get_runtime_context().gcs_address)
            self.slots = room_of(request)
            self.sign = self._signs.enter_context(sign_in(self.experiment))
            atexit.register(self._close)
            check_nodes(self.experiment, self.sign, request.gather)
        except BaseException:
            self._close()
            raise
        node = ray.get_runtime_context().get_node_id()
        here = NodeAffinitySchedulingStrategy(node, soft=False)
        keeper = ray.remote(num_cpus=0, max_restarts=-1)(Keeper)
        self.keeper = keeper.options(scheduling_strategy=here).remote()
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
            task = self.do.options(name=spec.name, scheduling_strategy=bundle_of(group, 0)).remote(
                errand, self.sign, self.request.gather, self.keeper
            )
            self.jobs[task] = RayJob(self, errand.folder, group)
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
            if job.ended.exitcode == GONE:
                # Else its lock, which the keeper has, would look like another command's.
                with suppress(RayError):
                    ray.get(self.keeper.abandon.remote(job.folder))
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
        self._signs.close()
        ray.shutdown()

    def _check_head(self) -> None:
        """Notice by ourselves that the head is gone; Ray would end this process without a word."""
        if time.monotonic() - self._saw_head < HEAD_SECONDS:
            return
        self._missed = 0 if answers(self.head) else self._missed + 1
        self._saw_head = time.monotonic()
        if self._missed >= HEAD_TRIES:
            raise UserError(
                f"{self.head}: the head of the Ray cluster is gone: begin it again, and the same "
                "command goes on from the last validations"
            )


@dataclass
class RayJob:
    """A run in the hands of a cluster."""

    executor: Ray
    folder: Path
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


def _end_of(task: Any) -> Ended:
    """How a run ended whose task is over."""
    try:
        ended: Ended = ray.get(task)
        return ended
    except TaskCancelledError:
        return Ended(STOPPED)
    except RayError as error:
        return Ended(GONE, f"lost with what did it on the cluster: {first_line(error)}")
