"""How other nodes come to a run, and what they tell its first process.

The run's node opens a door before the run begins. Another node that has found it there waits until
the run's first process lets it in. The connection lasts as long as both: where one of them is
killed, the other is told by the system.
"""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from multiprocessing.connection import wait
from typing import Any
from uuid import uuid4

from mocha_lightning.errors import ProcessError, UserError
from mocha_lightning.experiment.problem import Problem, lost

COME_SECONDS = 300
"""What other nodes get to come to the door, once the run is ready."""
HELLO_SECONDS = 10
"""What somebody at the door gets to say who it is."""
KEEP_ALIVE = {socket.TCP_KEEPIDLE: 10, socket.TCP_KEEPINTVL: 5, socket.TCP_KEEPCNT: 4}
"""In seconds and tries: when the system takes a machine for lost that says nothing."""


@dataclass(frozen=True)
class Address:
    """Where a door is.

    Attributes:
        host: name or address of the run's node.
        port: of the door.
        token: that whoever comes must know, so that nobody comes to another run.
    """

    host: str
    port: int
    token: str


class Door:
    """Where other nodes come to a run.

    Args:
        host: by which they know this node.
    """

    def __init__(self, host: str) -> None:
        self.server = socket.create_server(("", 0))
        self.address = Address(host, self.server.getsockname()[1], uuid4().hex)

    def close(self) -> None:
        """Send whoever still waits there away."""
        self.server.close()

    def visitors(self, nodes: int, port: int) -> Iterator["Visitor"]:
        """Let all other nodes in.

        Args:
            nodes: of the run.
            port: where its processes meet.

        Raises:
            ProcessError: one does not come.
        """
        missing = set(range(1, nodes))
        deadline = time.monotonic() + COME_SECONDS
        while missing:
            self.server.settimeout(max(0.1, deadline - time.monotonic()))
            try:
                wire = _Wire(self.server.accept()[0])
            except TimeoutError:
                raise ProcessError(
                    f"node {min(missing) + 1} of {nodes} did not come within {COME_SECONDS} s: "
                    f"can it reach {self.address.host}?",
                    lost=True,
                ) from None
            hello = wire.receive(HELLO_SECONDS)
            if hello is None or hello.get("token") != self.address.token:
                wire.close()
                continue
            missing.discard(hello["node"])
            with suppress(OSError):  # it may be gone again, and is then heard of as lost
                wire.send({"port": port})
            name = f"{hello['name']} (node {hello['node'] + 1} of {nodes})"
            yield Visitor(wire, name, time.time() - hello["now"])


class Visitor:
    """Another node, as a run's first process knows it.

    Args:
        wire: to it.
        name: of it.
        behind: seconds that its clock is behind this one's.
    """

    def __init__(self, wire: "_Wire", name: str, behind: float) -> None:
        self.wire = wire
        self.name = name
        self.behind = behind
        self.sentinel = wire.socket
        self._asking = threading.Lock()
        self._heard = False
        self._found: Problem | None = None

    def problem(self) -> Problem | None:
        """What the first of its processes died of, or that it is lost itself."""
        with self._asking:
            if not self._heard and wait([self.sentinel], 0):
                self._found = self._hear()
                self._heard = True
            return self._found

    def end(self) -> None:
        """Send it away; it ends its processes."""
        with self._asking:
            self.wire.close()

    def _hear(self) -> Problem | None:
        said = self.wire.receive()
        if said is None:
            return lost(f"{self.name} is lost, or what did its part of the run there")
        if said["problem"] is None:
            return None
        problem = Problem(**said["problem"])
        if problem.kind == "diverged":
            return replace(problem, at=problem.at + self.behind)
        text = f"{self.name}: {problem.text}"
        return replace(problem, text=text, at=problem.at and problem.at + self.behind)


class Visit:
    """A node's way to a run's first process.

    Args:
        address: of the door.
        node: which one this is, counted from 0, which is the run's own.

    Raises:
        OSError: there is no door.
    """

    def __init__(self, address: Address, node: int) -> None:
        self.address = address
        self.wire = _Wire(socket.create_connection((address.host, address.port), HELLO_SECONDS))
        self.over = self.wire.socket
        """Ready when the run has ended."""
        name = socket.gethostname()
        self.wire.send({"token": address.token, "node": node, "name": name, "now": time.time()})

    def place(self) -> tuple[str, int] | None:
        """Wait to be let in.

        Returns:
            Host and port where the run's processes meet; None where the run has ended before.
        """
        said = self.wire.receive()
        return (self.address.host, said["port"]) if said else None

    def tell(self, problem: Problem | None) -> None:
        """Say what a process here died of, or that all have done what they had to."""
        with suppress(OSError):  # nobody may be there any more
            self.wire.send({"problem": problem and asdict(problem)})

    def close(self) -> None:
        """Leave."""
        self.wire.close()


def needs_cluster(nodes: int) -> UserError:
    """What to say where a run of several nodes has but this one."""
    return UserError(
        f"trainer.num_nodes is {nodes}, and other machines take part with --executor ray or slurm "
        "alone: give one of them, or leave it out"
    )


class _Wire:
    """A connection over which lines of JSON go."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in KEEP_ALIVE.items():
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
        self.socket = connection
        self.lines = connection.makefile("rb")

    def send(self, said: dict[str, Any]) -> None:
        self.socket.sendall(json.dumps(said).encode() + b"\n")

    def receive(self, seconds: float | None = None) -> dict[str, Any] | None:
        """A line, for which one may wait so long; None where none comes any more."""
        self.socket.settimeout(seconds)
        try:
            said = json.loads(self.lines.readline())
        except (OSError, ValueError):
            return None
        finally:
            self.socket.settimeout(None)
        return said if isinstance(said, dict) else None

    def close(self) -> None:
        # Whoever waits for it in another thread is told.
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.lines.close()
        self.socket.close()
