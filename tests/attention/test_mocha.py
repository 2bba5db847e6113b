"""Monotonic chunkwise attention is section 2.4."""

import pytest
import torch
from oracles.alignment import chunkwise

from attention.claims import (
    assert_algorithm_1,
    assert_attend_alike,
    assert_expected_steps,
    assert_hard_is_expected,
)
from attention.setting import (
    ENERGY_DIM,
    MEMORY_DIM,
    MIXED,
    QUERY_DIM,
    attend,
    build,
    padded,
    queries,
    utterance,
)
from mocha_lightning.attention import MoChA, MonotonicAttention

CHUNK_SIZES = [1, 2, 3, 20]


@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
def test_expected_steps_are_those_of_the_equations(chunk_size: int) -> None:
    assert_expected_steps(
        build(MoChA, **MIXED, chunk_size=chunk_size),
        lambda at: chunkwise(at.alpha, at.u, chunk_size),
    )


@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
def test_hard_steps_are_algorithm_1(chunk_size: int) -> None:
    assert_algorithm_1(build(MoChA, **MIXED, chunk_size=chunk_size), chunk_size)


@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
def test_hard_is_expected_where_every_probability_is_0_or_1(chunk_size: int) -> None:
    assert_hard_is_expected(build(MoChA, **MIXED, chunk_size=chunk_size))


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_chunks_of_one_are_monotonic_attention(mode: str) -> None:
    mocha = build(MoChA, **MIXED, chunk_size=1)
    monotonic = build(MonotonicAttention, 1, **MIXED)
    monotonic.head.load_state_dict(mocha.head.state_dict())
    assert_attend_alike(mocha, monotonic, mode)


def test_hard_steps_have_finite_gradients_even_past_the_end() -> None:
    module = build(MoChA, **MIXED)
    memory = module.prepare(*padded([utterance(3)]))
    steps = attend(module, memory, queries(1, 20), "hard")
    assert steps[-1].state.item() == 3
    torch.stack([step.context for step in steps]).sum().backward()
    for parameter in module.chunk_energy.parameters():
        assert parameter.grad.isfinite().all()


def test_it_costs_one_energy_function_more_than_monotonic_attention() -> None:
    mocha, monotonic = build(MoChA), build(MonotonicAttention)
    difference = sum(p.numel() for p in mocha.parameters()) - sum(
        p.numel() for p in monotonic.parameters()
    )
    # W_h, W_s, b, v and g; no r, which a softmax cancels.
    assert difference == ENERGY_DIM * (MEMORY_DIM + QUERY_DIM + 2) + 1


def test_the_paper_s_numbers_are_the_defaults() -> None:
    module = build(MoChA)
    assert module.chunk_size == 2
    assert module.head.r.item() == -4
    assert module.head.noise_std == 1
    assert module.head.noise_ramp == 0
    for energy in (module.head.energy, module.chunk_energy):
        assert energy.g.item() == pytest.approx(ENERGY_DIM**-0.5)


def test_gain_is_set_for_both_energies() -> None:
    module = build(MoChA, gain=2)
    assert module.head.energy.g.item() == module.chunk_energy.g.item() == 2


def test_a_chunk_wider_than_the_memory_costs_no_more_than_one_as_wide() -> None:
    memory, asked = [utterance(9)], queries(1, 6)
    found = []
    for chunk_size in (9, 10**12):
        module = build(MoChA, **MIXED, chunk_size=chunk_size)
        prepared = module.prepare(*padded(memory))
        for mode in ("expected", "hard"):
            found.append(torch.stack([s.weights for s in attend(module, prepared, asked, mode)]))
    assert torch.equal(found[0], found[2])
    assert torch.equal(found[1], found[3])


def test_a_gain_does_not_learn_backwards() -> None:
    with pytest.raises(ValueError, match="gain_rate cannot be negative"):
        build(MoChA, gain_rate=-1.0)


def test_a_chunk_holds_at_least_one_entry() -> None:
    with pytest.raises(ValueError, match="chunk_size must be at least 1, not 0"):
        build(MoChA, chunk_size=0)


def test_a_chunk_is_not_longer_than_can_be_counted() -> None:
    with pytest.raises(ValueError, match=r"chunk_size must be less than 9,007,199,254,740,992"):
        build(MoChA, chunk_size=2**60)
