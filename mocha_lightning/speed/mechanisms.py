"""The curves of the figure: each a mechanism, by name, that can be run on a problem."""

from dataclasses import dataclass
from typing import NamedTuple

from mocha_lightning.speed import loops
from mocha_lightning.speed.problem import Problem, Space

SOFT = "soft"
"""The mechanism that the others are compared with."""


class Cost(NamedTuple):
    """What one run takes.

    Attributes:
        milliseconds: all outputs, and the projection of the keys.
        scanned: energies that tell where to stop (of soft attention: none).
        weighed: energies that a softmax makes weights of.
    """

    milliseconds: float
    scanned: int
    weighed: int


@dataclass(frozen=True)
class Mechanism:
    """Soft attention, or MoChA with some w.

    Args:
        chunk_size: w, where 1 is hard monotonic attention; None is soft attention.
    """

    chunk_size: int | None

    @property
    def name(self) -> str:
        """What tables and files call it."""
        return {None: SOFT, 1: "monotonic"}.get(self.chunk_size, f"mocha_w{self.chunk_size}")

    def attend(self, problem: Problem, project_once: bool, space: Space) -> Cost:
        """Attend at every output; the contexts (and stops) are then in ``space``."""
        memory, queries, soft, head, chunk = problem
        if self.chunk_size is None:
            nanoseconds, weighed = loops.soft(memory, queries, soft, project_once, space)
            return Cost(nanoseconds / 1e6, 0, weighed)
        nanoseconds, scanned, weighed = loops.mocha(
            memory, queries, head, chunk, self.chunk_size, project_once, space
        )
        return Cost(nanoseconds / 1e6, scanned, weighed)


def mechanisms(chunk_sizes: tuple[int, ...]) -> tuple[Mechanism, ...]:
    """Soft attention, then one mechanism for each chunk size."""
    return (Mechanism(None), *map(Mechanism, chunk_sizes))
