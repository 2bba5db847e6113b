"""Each compiled mechanism against the paper's equations in float64."""

from time import perf_counter

import numpy as np
import pytest
from oracles import speed as oracle

from mocha_lightning.speed.busiest import OFFSETS, busiest
from mocha_lightning.speed.measure import VARIANTS
from mocha_lightning.speed.mechanisms import Mechanism
from mocha_lightning.speed.problem import Problem, Space, draw, space_for
from mocha_lightning.speed.settings import Settings

SMALL = Settings(memory_dim=12, query_dim=10, energy_dim=16)
LENGTH = 24
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def cases() -> list[tuple[Problem, Space]]:
    """A scan that lasts, one that stops at once, one that comes to the end early, one entry."""
    lasting, space = busiest(SMALL, LENGTH, LENGTH)
    stuck = lasting._replace(head=lasting.head._replace(offset=np.float32(9.0)))
    hasty = lasting._replace(head=lasting.head._replace(offset=np.float32(-0.9)))
    single = draw(SMALL, 1, 1)
    return [(lasting, space), (stuck, space), (hasty, space), (single, space_for(single))]


@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("project_once", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("chunk_size", [1, 2, 4, 8])
def test_mocha_is_algorithm_1(case: int, project_once: bool, chunk_size: int) -> None:
    problem, space = cases()[case]
    expected = oracle.mocha(problem, chunk_size)
    cost = Mechanism(chunk_size).attend(problem, project_once, space)
    assert space.stops.tolist() == expected.stops
    np.testing.assert_allclose(space.contexts, expected.contexts, **CLOSE)
    # One energy function alone where a chunk is one entry.
    weighed = expected.weighed if chunk_size > 1 else 0
    assert (cost.scanned, cost.weighed) == (expected.scanned, weighed)
    time, outputs = len(problem.memory), len(problem.queries)
    assert cost.scanned <= time + outputs
    assert cost.weighed <= chunk_size * outputs


@pytest.mark.parametrize("project_once", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("length", [1, LENGTH])
def test_soft_attention_is_that_of_section_2_2(length: int, project_once: bool) -> None:
    problem = draw(SMALL, length, length)
    space = space_for(problem)
    expected = oracle.soft(problem)
    cost = Mechanism(None).attend(problem, project_once, space)
    np.testing.assert_allclose(space.contexts, expected.contexts, **CLOSE)
    assert (cost.scanned, cost.weighed) == (0, expected.weighed) == (0, length * length)


@pytest.mark.parametrize("rows", [1, 8, LENGTH, LENGTH + 5])
@pytest.mark.parametrize("chunk_size", [None, 4])
def test_how_many_keys_are_projected_at_once_changes_nothing(
    rows: int, chunk_size: int | None
) -> None:
    problem, space = busiest(SMALL, LENGTH, LENGTH)
    Mechanism(chunk_size).attend(problem, True, space._replace(rows_at_once=LENGTH))
    expected = space.contexts.copy()
    Mechanism(chunk_size).attend(problem, True, space._replace(rows_at_once=rows))
    np.testing.assert_allclose(space.contexts, expected, **CLOSE)


@pytest.mark.parametrize("chunk_size", [None, 1, 4])
def test_the_time_is_that_of_the_call(chunk_size: int | None) -> None:
    problem, space = busiest(SMALL, LENGTH, LENGTH)
    mechanism = Mechanism(chunk_size)
    mechanism.attend(problem, False, space)
    begun = perf_counter()
    cost = mechanism.attend(problem, False, space)
    assert 0 < cost.milliseconds <= (perf_counter() - begun) * 1e3


@pytest.mark.parametrize(
    ("time", "outputs", "share"), [(10, 10, 1 / 2), (100, 100, 1 / 2), (90, 30, 1 / 4)]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_scan_lasts_to_about_the_last_output(
    time: int, outputs: int, share: float, seed: int
) -> None:
    settings = Settings(memory_dim=32, query_dim=32, energy_dim=32, seed=seed)
    problem, space = busiest(settings, time, outputs)
    cost = Mechanism(1).attend(problem, True, space)
    assert 0.93 * (time + outputs) <= cost.scanned <= time + outputs
    stopped = (space.stops < time).sum()
    assert stopped / cost.scanned == pytest.approx(share, abs=0.06)


def test_no_offset_gives_the_scan_more_to_do() -> None:
    problem, space = busiest(SMALL, LENGTH, LENGTH)
    found = Mechanism(1).attend(problem, True, space).scanned
    for offset in OFFSETS[::10]:
        other = problem._replace(head=problem.head._replace(offset=offset))
        assert Mechanism(1).attend(other, True, space).scanned <= found


def test_weights_are_the_same_at_every_length_and_states_differ_by_seed() -> None:
    short, long = draw(SMALL, 3, 3), draw(SMALL, 4, 3)
    assert np.array_equal(short.soft.memory_weights, long.soft.memory_weights)
    again, other = draw(SMALL, 3, 3), draw(Settings(**{**vars(SMALL), "seed": 1}), 3, 3)
    assert np.array_equal(short.memory, again.memory)
    assert not np.array_equal(short.memory, other.memory)
    assert not np.array_equal(short.head.memory_weights, short.chunk.memory_weights)
    assert np.linalg.norm(short.head.direction) == pytest.approx(1)
