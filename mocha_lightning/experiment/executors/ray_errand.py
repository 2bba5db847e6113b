"""What a node of a Ray cluster does of a run."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayTaskError
from ray.util.placement_group import PlacementGroup, get_current_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.executors.away import Errand, do_in_child
from mocha_lightning.experiment.executors.base import Ended
from mocha_lightning.experiment.executors.gathering import Files, do_gathered
from mocha_lightning.experiment.executors.ray_nodes import Gather
from mocha_lightning.experiment.exits import MISTAKE, STOPPED


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
    # What computes takes seconds to import, and is of no use here where no other node is.
    from mocha_lightning.experiment.executors.lending import lend

    group = get_current_placement_group()
    with closing(Door(ray.util.get_node_ip_address())) as door:
        for node, bundle in enumerate(group.bundle_specs[1:], 1):
            ray.remote(lend).options(
                name=f"{errand.spec.name} (node {node + 1})",
                num_cpus=bundle.get("CPU", 0),
                num_gpus=bundle.get("GPU", 0),
                max_retries=0,
                scheduling_strategy=bundle_of(group, node),
            ).remote(errand, node, door.address)
        yield door


def bundle_of(group: PlacementGroup | None, number: int) -> Any:
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
