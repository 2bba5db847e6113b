"""What is attended to: random states and weights, and the room that the loops work in.

Shapes: ``time`` entries, ``outputs`` queries.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int64
from numpy import ndarray

from mocha_lightning.speed import loops
from mocha_lightning.speed.settings import Settings

FEW_ROWS = 8
"""Entries that some BLAS libraries multiply with a matrix faster than many at once."""
PROBES = 20


class Energy(NamedTuple):
    """The weights of an energy function, its matrices to be multiplied with states from the left.

    Attributes:
        memory_weights: the transpose of W_h.
        query_weights: the transpose of W_s.
        bias: b.
        direction: v, or g v / ||v|| of the monotonic energy.
        offset: r of the monotonic energy.
    """

    memory_weights: Float32[ndarray, "memory_dim energy_dim"]
    query_weights: Float32[ndarray, "query_dim energy_dim"]
    bias: Float32[ndarray, " energy_dim"]
    direction: Float32[ndarray, " energy_dim"]
    offset: np.float32


class Problem(NamedTuple):
    """One sequence to attend to, and the energies of all mechanisms.

    Attributes:
        memory: h.
        queries: s.
        soft: soft attention's energy.
        head: the monotonic energy.
        chunk: the energy within chunks.
    """

    memory: Float32[ndarray, "time memory_dim"]
    queries: Float32[ndarray, "outputs query_dim"]
    soft: Energy
    head: Energy
    chunk: Energy


class Space(NamedTuple):
    """What the loops write to, allocated before the time begins.

    Attributes:
        keys: W_h h of soft attention's or the monotonic energy.
        chunk_keys: W_h h of the energy within chunks.
        shift: W_s s + b.
        energies: of soft attention or of a chunk, and then its weights.
        contexts: c.
        stops: t.
        clock: what the clock writes to.
        rows_at_once: entries that W_h h is computed of in one call of BLAS.
    """

    keys: Float32[ndarray, "time energy_dim"]
    chunk_keys: Float32[ndarray, "time energy_dim"]
    shift: Float32[ndarray, " energy_dim"]
    energies: Float32[ndarray, " time"]
    contexts: Float32[ndarray, "outputs memory_dim"]
    stops: Int64[ndarray, " outputs"]
    clock: Int64[ndarray, "2"]
    rows_at_once: int


def draw(settings: Settings, time: int, outputs: int, number: int = 0) -> Problem:
    """Draw a sequence, and all weights, which are the same for every sequence of a seed.

    States, matrices and biases are standard normal. So tanh is mostly near its ends, and an energy
    depends on the pair of entry and query; with small weights it would nearly be a part of the
    entry's plus a part of the query's, and a query of low energies would send the scan to the end.
    v has a length of about 1, and g = 1: neither changes any time.

    Args:
        settings: dimensions and seed.
        time: T.
        outputs: U.
        number: which draw of states.
    """
    weights = np.random.default_rng([settings.seed, 0])
    soft, head, chunk = (_energy(settings, weights) for _ in range(3))
    head = head._replace(direction=head.direction / np.linalg.norm(head.direction))
    states = np.random.default_rng([settings.seed, time, outputs, number])
    return Problem(
        states.standard_normal((time, settings.memory_dim), np.float32),
        states.standard_normal((outputs, settings.query_dim), np.float32),
        soft,
        head,
        chunk,
    )


def space_for(problem: Problem) -> Space:
    """Room for a problem, with W_h h of a whole memory computed in the way that is fastest here."""
    time, energy_dim = len(problem.memory), len(problem.soft.bias)
    space = Space(
        keys=np.zeros((time, energy_dim), np.float32),
        chunk_keys=np.zeros((time, energy_dim), np.float32),
        shift=np.zeros(energy_dim, np.float32),
        energies=np.zeros(time, np.float32),
        contexts=np.zeros((len(problem.queries), problem.memory.shape[1]), np.float32),
        stops=np.zeros(len(problem.queries), np.int64),
        clock=np.zeros(2, np.int64),
        rows_at_once=time,
    )

    def nanoseconds(rows: int) -> int:
        given = problem.memory, problem.soft, rows, space
        fastest: int = min(loops.time_project(*given) for _ in range(PROBES))
        return fastest

    return space._replace(rows_at_once=min(time, FEW_ROWS, key=nanoseconds))


def _energy(settings: Settings, generator: np.random.Generator) -> Energy:
    def normal(*shape: int) -> Float32[ndarray, "..."]:
        return generator.standard_normal(shape, np.float32)

    d = settings.energy_dim
    return Energy(
        normal(settings.memory_dim, d),
        normal(settings.query_dim, d),
        normal(d),
        normal(d) / np.float32(d**0.5),
        np.float32(0.0),
    )
