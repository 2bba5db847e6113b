"""A Ray cluster of three nodes on this machine, and who does what in it."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.runner import Run


class Machines:
    """A head that does no runs, and two nodes that do one each."""

    def __init__(self) -> None:
        self._begin()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def fill(self) -> None:
        """Have a head and two nodes, whatever has become of those there were."""
        if not self.has_head:
            self.end()
            self._begin()
        while len(self.nodes) < 2:
            self.nodes.append(self.cluster.add_node(num_cpus=1))

    def _begin(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False},
        )
        self.has_head = True
        self.nodes: list[Any] = []

    def lose_that_of(self, task: str) -> None:
        """Have the node die that does a task, with all that goes on there."""
        (worker,) = workers_of(task)
        (lost,) = (node for node in self.nodes if worker in descendants(_raylet(node)))
        self.nodes.remove(lost)
        self.cluster.remove_node(lost, allow_graceful=False)

    def lose_head(self) -> None:
        self.cluster.head_node.kill_gcs_server(check_alive=False)
        self.has_head = False

    def end(self) -> None:
        self.cluster.shutdown()


def _raylet(node: Any) -> int:
    """The process that a node's others descend from."""
    pid: int = node.all_processes["raylet"][0].process.pid
    return pid


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from descendants(child)


def workers_of(name: str) -> list[int]:
    """The processes of Ray that do a run, below this one."""
    found = []
    for pid in descendants(os.getpid()):
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        if words.startswith(f"ray::{name}".encode()):
            found.append(pid)
    return found


def once_saved(number: int, act: Callable[[], object]) -> Callable[[Sequence[Run]], None]:
    """A watcher that does something, once, when so many runs have a checkpoint."""
    acted: list[bool] = []

    def watch(runs: Sequence[Run]) -> None:
        if not acted and sum(read_progress(run.folder).saved > 0 for run in runs) >= number:
            acted.append(True)
            act()

    return watch


def once_saved_each(*acts: Callable[[], object]) -> Callable[[Sequence[Run]], None]:
    """A watcher of one run that does one thing at each checkpoint that is later than the last."""
    left = list(acts)
    seen = [0]

    def watch(runs: Sequence[Run]) -> None:
        (run,) = runs
        saved = read_progress(run.folder).saved
        if left and saved > seen[-1]:
            seen.append(saved)
            left.pop(0)()

    return watch


def kill(pids: Sequence[int]) -> None:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
