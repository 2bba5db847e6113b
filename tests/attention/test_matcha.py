"""Monotonic adaptive chunkwise attention is Appendix C."""

from itertools import pairwise

import pytest
from oracles import adaptive_chunks as oracle
from oracles.alignment import Sequence

from attention.claims import (
    Utterance,
    assert_all_cases,
    assert_expected_steps,
    assert_future_is_unheard,
    assert_hard_is_expected,
    assert_hard_steps,
    stops_of,
)
from attention.setting import MIXED, attend, build, make_binary, padded, queries, utterance
from mocha_lightning.attention import MAtChA


def test_expected_steps_are_those_of_the_equations() -> None:
    assert_expected_steps(
        build(MAtChA, **MIXED),
        lambda at: oracle.matcha_by_definition(at.e, at.u, at.previous),
    )


def test_hard_steps_attend_from_the_last_stop_to_this_one() -> None:
    def process(one: Utterance) -> tuple[list[Sequence], list[int]]:
        return oracle.hard_scan(
            one.e, lambda i, previous, stop: oracle.softmax_between(one.u[i], previous, stop)
        )

    steps = assert_hard_steps(build(MAtChA, **MIXED), process)
    assert_all_cases(stops_of(steps), 12)


def test_hard_is_expected_where_every_probability_is_0_or_1() -> None:
    assert_hard_is_expected(build(MAtChA, **MIXED))


def test_it_hears_nothing_after_the_stop() -> None:
    assert_future_is_unheard(build(MAtChA, **MIXED))


def test_hard_steps_evaluate_no_chunk_energy_outside_the_chunk() -> None:
    module = make_binary(build(MAtChA))
    evaluated = []
    module.chunk_energy.register_forward_pre_hook(
        lambda _, inputs: evaluated.append(inputs[1].projected.shape[1])
    )
    steps = attend(module, module.prepare(*padded([utterance(12)])), queries(1, 30), "hard")
    stops = [0, *(step.state.item() for step in steps)]
    chunks = [b - a + 1 if b < 12 else 0 for a, b in pairwise(stops)]
    assert evaluated == chunks
    assert max(chunks) > 1
    assert stops[-1] == 12


def test_a_memory_beyond_the_limit_is_refused_in_expectation_alone() -> None:
    module = build(MAtChA, **MIXED, max_entries=8)
    memory = module.prepare(*padded([utterance(9), utterance(3)]))
    with pytest.raises(ValueError, match=r"^max_entries is 8, but a memory has 9 entries: .*2 x 9"):
        module.expected_start(memory)
    attend(module, memory, queries(2, 3), "hard")
    within = module.prepare(*padded([utterance(8)]))
    attend(module, within, queries(1, 3), "expected")


def test_a_limit_is_at_least_one_entry() -> None:
    with pytest.raises(ValueError, match=r"^max_entries must be at least 1, not 0"):
        build(MAtChA, max_entries=0)
