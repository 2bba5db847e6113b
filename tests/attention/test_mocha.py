"""Monotonic chunkwise attention is section 2.4."""

from functools import partial

import numpy as np
import pytest
import torch
from oracles.alignment import alignment_by_starts, chunkwise
from oracles.attention import algorithm_1

from attention.setting import (
    ENERGY_DIM,
    MEMORY_DIM,
    MIXED,
    QUERY_DIM,
    assert_all_cases,
    attend,
    build,
    energy_table,
    make_binary,
    padded,
    queries,
    take,
    utterance,
)
from mocha_lightning.attention import MoChA, MonotonicAttention

CHUNK_SIZES = [1, 2, 3, 20]


@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
def test_expected_steps_are_those_of_the_equations(chunk_size: int) -> None:
    module = build(MoChA, **MIXED, chunk_size=chunk_size).double()
    memory, asked = utterance(9, dtype=torch.double), queries(1, 6, dtype=torch.double)
    steps = attend(module, module.prepare(*padded([memory])), asked, "expected")
    alpha = np.eye(9)[0]
    e = energy_table(module.head.energy, memory, asked, MIXED["offset"])
    u = energy_table(module.chunk_energy, memory, asked)
    for i, step in enumerate(steps):
        alpha = alignment_by_starts(e[i], alpha)
        beta = chunkwise(alpha, u[i], chunk_size)
        context = sum(weight * h for weight, h in zip(beta, memory.numpy(), strict=True))
        np.testing.assert_allclose(step.logits[0].detach(), e[i], atol=1e-12)
        np.testing.assert_allclose(step.state[0].detach(), alpha, atol=1e-12)
        np.testing.assert_allclose(step.weights[0].detach(), beta, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), context, atol=1e-12)
    assert 0.01 < alpha.sum() < 0.99


@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
def test_hard_steps_are_algorithm_1(chunk_size: int) -> None:
    """Through the end of the memory and beyond."""
    module = build(MoChA, **MIXED, chunk_size=chunk_size).double()
    utterances = [utterance(12, seed, torch.double) for seed in range(8)]
    asked = queries(8, 30, dtype=torch.double)
    steps = attend(module, module.prepare(*padded(utterances)), asked, "hard")
    found = torch.stack([step.state for step in steps], 1)
    for row, memory in enumerate(utterances):
        own = [query[row : row + 1] for query in asked]
        e = energy_table(module.head.energy, memory, own, MIXED["offset"])
        u = energy_table(module.chunk_energy, memory, own)
        contexts, stops = algorithm_1(
            memory.numpy(), 30, chunk_size, partial(take, e), partial(take, u)
        )
        assert found[row].tolist() == stops
        found_contexts = [step.context[row].detach().numpy() for step in steps]
        np.testing.assert_allclose(found_contexts, contexts, atol=1e-12)
    assert_all_cases(found, 12)


@pytest.mark.parametrize("chunk_size", CHUNK_SIZES)
def test_hard_is_expected_where_every_probability_is_0_or_1(chunk_size: int) -> None:
    """Through many outputs: the scan runs off the end and stays off."""
    module = make_binary(build(MoChA, **MIXED, chunk_size=chunk_size))
    utterances = [utterance(time, time) for time in (1, 5, 12, 12)]
    memory, asked = module.prepare(*padded(utterances)), queries(4, 40)
    expected, hard = (attend(module, memory, asked, mode) for mode in ("expected", "hard"))
    for soft_step, hard_step in zip(expected, hard, strict=True):
        torch.testing.assert_close(soft_step.weights, hard_step.weights, rtol=0, atol=1e-6)
        torch.testing.assert_close(soft_step.context, hard_step.context, rtol=0, atol=1e-5)
    assert (hard[0].state < 12).any()
    assert (hard[-1].weights == 0).all()
    assert any((step.logits[2] >= 0).any() for step in expected[-10:])


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_chunks_of_one_are_monotonic_attention(mode: str) -> None:
    mocha = build(MoChA, **MIXED, chunk_size=1)
    monotonic = build(MonotonicAttention, 1, **MIXED)
    monotonic.head.load_state_dict(mocha.head.state_dict())
    batch, asked = padded([utterance(9), utterance(5, 1)]), queries(2, 8)
    pairs = zip(
        attend(mocha, mocha.prepare(*batch), asked, mode),
        attend(monotonic, monotonic.prepare(*batch), asked, mode),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a.context, b.context)
        torch.testing.assert_close(a.weights, b.weights)


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
