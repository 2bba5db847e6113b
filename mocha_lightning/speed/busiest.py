"""Sequences on which the monotonic head has the most to do.

A scan inspects at most T + U entries: it passes T and stops U times. It then comes to the end with
about the last output, and where T = U, one in two inspected entries stops it. Every other scan
costs less, be it that it comes to the end sooner or not at all, and would flatter MoChA.
"""

from bisect import bisect_left

import numpy as np

from mocha_lightning.speed import loops
from mocha_lightning.speed.problem import Problem, Space, draw, space_for
from mocha_lightning.speed.settings import Settings

DRAWS = 20
"""Of random states: in some, no r makes the scan last, as a single output passes all entries."""
OFFSETS = np.linspace(-2.0, 2.0, 401, dtype=np.float32)
"""Values of r to choose from; energies without it have a standard deviation of about 1."""


def busiest(
    settings: Settings, time: int, outputs: int, always_stopping: bool = False
) -> tuple[Problem, Space]:
    """Draw states, choose r, and keep what has the monotonic head compute the most energies.

    Args:
        settings: dimensions and seed.
        time: T.
        outputs: U.
        always_stopping: keep only scans that every output stops. What follows the memory, were it
            longer, is then never inspected.

    Returns:
        The problem and room to work on it.
    """
    space = space_for(draw(settings, time, outputs))
    drawn = (draw(settings, time, outputs, number) for number in range(DRAWS))
    candidates = [each for problem in drawn for each in _near_the_end(problem, space)]

    def energies(problem: Problem) -> int:
        scanned, stops = _scan(problem, space)
        return scanned if stops or not always_stopping else 0

    return max(candidates, key=energies), space


def _near_the_end(problem: Problem, space: Space) -> list[Problem]:
    """The last r with which the scan passes the end, and the first with which it never does.

    The larger r, the sooner a scan stops: up to that place it computes more energies with every
    stop that it gains, and from there fewer with every entry that it does not come to.
    """

    def with_offset(at: int) -> Problem:
        return problem._replace(head=problem.head._replace(offset=OFFSETS[at]))

    def always_stops(at: int) -> bool:
        return _scan(with_offset(at), space)[1]

    first = bisect_left(range(len(OFFSETS)), True, key=always_stops)
    around = first - 1, first
    return [with_offset(at) for at in around if 0 <= at < len(OFFSETS)]


def _scan(problem: Problem, space: Space) -> tuple[int, bool]:
    """How many energies the head computes, and whether every output stops it."""
    memory, queries, _, head, chunk = problem
    _, scanned, _ = loops.mocha(memory, queries, head, chunk, 1, True, space)
    return scanned, bool(space.stops[-1] < len(memory))
