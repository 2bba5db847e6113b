"""The measurement: every trial runs all mechanisms, in an order that rotates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import scipy.linalg  # noqa: F401 (loads the BLAS that Numba calls: the limit would miss it)
from threadpoolctl import threadpool_info, threadpool_limits

from mocha_lightning.speed.busiest import busiest
from mocha_lightning.speed.interleaving import rotations
from mocha_lightning.speed.mechanisms import Mechanism, mechanisms
from mocha_lightning.speed.problem import Problem, Space
from mocha_lightning.speed.settings import Settings

VARIANTS: Mapping[str, bool] = MappingProxyType({"recomputed": False, "projected": True})
"""When the keys W_h h are computed: at every output (False) or once a sequence (True)."""
THREADS = 1


@dataclass(frozen=True, kw_only=True)
class Scan:
    """Where the monotonic head stopped.

    Attributes:
        offset: r.
        stopped: outputs at which it stopped; at the others it had passed the end.
        passed: entries that it passed.
        energies: how many it computed, at most T + U.
    """

    offset: float
    stopped: int
    passed: int
    energies: int


@dataclass(frozen=True, kw_only=True)
class Timed:
    """All trials of one variant and length.

    Attributes:
        variant: of ``VARIANTS``.
        length: T = U.
        milliseconds: of each mechanism, by name, one for each trial.
        scan: of every mechanism with a monotonic head.
        rows_at_once: entries that W_h h was computed of in one call of BLAS, where it was computed
            of the whole memory.
    """

    variant: str
    length: int
    milliseconds: dict[str, list[float]]
    scan: Scan
    rows_at_once: int


class Watch(Protocol):
    """Who is told how far the measurement is."""

    def trial_done(self, length: int) -> None:
        """All mechanisms have been timed once more at T = ``length``."""

    def length_done(self, timed: Timed) -> None:
        """All trials of a variant and length are done."""


def measure(settings: Settings, watch: Watch) -> list[Timed]:
    """Time all mechanisms on one thread, for each variant and length."""
    found = []
    with threadpool_limits(THREADS):
        for variant, project_once in VARIANTS.items():
            for length in settings.lengths:
                timed = _timed(settings, variant, project_once, length, watch)
                watch.length_done(timed)
                found.append(timed)
    return found


def libraries() -> list[dict[str, Any]]:
    """The libraries with threads of their own, as they are while :func:`measure` works."""
    with threadpool_limits(THREADS):
        return [
            {key: value for key, value in library.items() if key != "filepath"}
            for library in threadpool_info()
        ]


def _timed(
    settings: Settings, variant: str, project_once: bool, length: int, watch: Watch
) -> Timed:
    subjects = mechanisms(settings.chunk_sizes)
    problem, space = busiest(settings, length, length)
    scan = _warm_up(subjects, problem, project_once, space)
    milliseconds: dict[str, list[float]] = {each.name: [] for each in subjects}
    for order in rotations(subjects, settings.trials):
        for mechanism in order:
            cost = mechanism.attend(problem, project_once, space)
            milliseconds[mechanism.name].append(cost.milliseconds)
        watch.trial_done(length)
    return Timed(
        variant=variant,
        length=length,
        milliseconds=milliseconds,
        scan=scan,
        rows_at_once=space.rows_at_once,
    )


def _warm_up(
    subjects: Sequence[Mechanism], problem: Problem, project_once: bool, space: Space
) -> Scan:
    """Run each mechanism once, so that all is compiled and loaded; tell of the last one's scan."""
    costs = [mechanism.attend(problem, project_once, space) for mechanism in subjects]
    return Scan(
        offset=float(problem.head.offset),
        stopped=int((space.stops < len(problem.memory)).sum()),
        passed=int(space.stops[-1]),
        energies=costs[-1].scanned,
    )
