"""Monotonic infinite lookback attention: all that has been read, up to where the head stops."""

import pytest
from oracles import adaptive_chunks as oracle
from oracles.alignment import Sequence

from attention.claims import (
    Utterance,
    assert_all_cases,
    assert_attend_alike,
    assert_expected_steps,
    assert_future_is_unheard,
    assert_hard_is_expected,
    assert_hard_steps,
    stops_of,
)
from attention.setting import MIXED, attend, build, make_binary, padded, queries, utterance
from mocha_lightning.attention import MILk, MoChA


def test_expected_steps_are_those_of_the_equations() -> None:
    assert_expected_steps(build(MILk, **MIXED), lambda at: oracle.milk(at.alpha, at.u))


def test_hard_steps_attend_to_all_that_has_been_read() -> None:
    def process(one: Utterance) -> tuple[list[Sequence], list[int]]:
        return oracle.hard_scan(one.e, lambda i, _, stop: oracle.softmax_between(one.u[i], 0, stop))

    steps = assert_hard_steps(build(MILk, **MIXED), process)
    assert_all_cases(stops_of(steps), 12)


def test_hard_is_expected_where_every_probability_is_0_or_1() -> None:
    assert_hard_is_expected(build(MILk, **MIXED))


def test_it_hears_nothing_after_the_stop() -> None:
    assert_future_is_unheard(build(MILk, **MIXED))


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_it_is_mocha_with_a_chunk_as_long_as_the_memory(mode: str) -> None:
    milk, mocha = build(MILk, **MIXED), build(MoChA, 1, **MIXED, chunk_size=9)
    mocha.load_state_dict(milk.state_dict())
    assert_attend_alike(milk, mocha, mode)


def test_hard_steps_evaluate_no_chunk_energy_after_the_stop() -> None:
    module = make_binary(build(MILk))
    evaluated = []
    module.chunk_energy.register_forward_pre_hook(
        lambda _, inputs: evaluated.append(inputs[1].projected.shape[1])
    )
    steps = attend(module, module.prepare(*padded([utterance(12)])), queries(1, 30), "hard")
    stops = [step.state.item() for step in steps]
    assert evaluated == [stop + 1 if stop < 12 else 0 for stop in stops]
    assert stops[0] < stops[-1] == 12
