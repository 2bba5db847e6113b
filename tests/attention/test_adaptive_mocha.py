"""MoChA with a chunk size chosen for each output."""

import numpy as np
import pytest
import torch
from oracles import adaptive_chunks as oracle
from oracles.alignment import alignment_by_starts

from attention.series import double, normal, one_hot, spread
from attention.setting import (
    MIXED,
    QUERY_DIM,
    assert_all_cases,
    assert_future_is_unheard,
    assert_hard_is_expected,
    attend,
    build,
    energy_table,
    padded,
    queries,
    utterance,
)
from mocha_lightning.attention import AdaptiveMoChA, Attention, MoChA
from mocha_lightning.attention.adaptive_mocha import mixed_chunkwise_alignment

SIZES = (1, 3, 6)


def adaptive(decided: bool = False) -> Attention:
    module = build(AdaptiveMoChA, **MIXED, chunk_sizes=SIZES)
    if decided:
        with torch.no_grad():
            module.size_choice.weight *= 1e4
    return module


def size_logits(module: Attention, query: torch.Tensor) -> np.ndarray:
    weight, bias = (double(p) for p in (module.size_choice.weight, module.size_choice.bias))
    return weight @ double(query[0]) + bias


# -- The pure function ---------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1, 30])
@pytest.mark.parametrize("time", [1, 2, 60])
def test_the_mixture_is_exact_in_float32(time: int, scale: float) -> None:
    alpha, energies = spread(time), 1000 + scale * normal(time, seed=7)
    probabilities = torch.tensor([0.2, 0.5, 0.3])
    beta = mixed_chunkwise_alignment(alpha, energies, probabilities, SIZES)
    arguments = (double(x) for x in (alpha, energies, probabilities))
    expected = oracle.mixed_chunkwise(*arguments, SIZES)
    np.testing.assert_allclose(double(beta), expected, rtol=0, atol=1e-6)


def test_each_sequence_has_probabilities_of_its_own() -> None:
    alpha, energies = torch.softmax(normal(2, 3, 9), -1), normal(2, 3, 9, seed=1)
    probabilities = torch.softmax(normal(2, 3, 3, seed=2), -1)
    beta = mixed_chunkwise_alignment(alpha, energies, probabilities, SIZES)
    for index in np.ndindex(2, 3):
        arguments = (double(x[index]) for x in (alpha, energies, probabilities))
        expected = oracle.mixed_chunkwise(*arguments, SIZES)
        np.testing.assert_allclose(double(beta[index]), expected, rtol=0, atol=1e-6)


def test_gradcheck() -> None:
    alpha = torch.softmax(normal(2, 9).double(), -1).requires_grad_()
    energies = normal(2, 9, seed=9).double().requires_grad_()
    probabilities = torch.softmax(normal(2, 3, seed=2).double(), -1).requires_grad_()
    padding = torch.arange(9) >= torch.tensor([[9], [4]])
    assert torch.autograd.gradcheck(
        lambda a, u, p: mixed_chunkwise_alignment(a, u.masked_fill(padding, -torch.inf), p, SIZES),
        (alpha, energies, probabilities),
    )


# -- The mechanism -------------------------------------------------------------------------------


def test_expected_steps_mix_the_sizes() -> None:
    module = adaptive().double()
    memory, asked = utterance(9, dtype=torch.double), queries(1, 6, dtype=torch.double)
    steps = attend(module, module.prepare(*padded([memory])), asked, "expected")
    alpha = double(one_hot(9))
    e = energy_table(module.head.energy, memory, asked, MIXED["offset"])
    u = energy_table(module.chunk_energy, memory, asked)
    for i, step in enumerate(steps):
        alpha = alignment_by_starts(e[i], alpha)
        exponentials = np.exp(size_logits(module, asked[i]))
        beta = oracle.mixed_chunkwise(alpha, u[i], exponentials / exponentials.sum(), SIZES)
        np.testing.assert_allclose(step.logits[0].detach(), e[i], atol=1e-12)
        np.testing.assert_allclose(step.state[0].detach(), alpha, atol=1e-12)
        np.testing.assert_allclose(step.weights[0].detach(), beta, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), beta @ memory.numpy(), atol=1e-12)
    assert 0.01 < alpha.sum() < 0.99


def test_hard_steps_take_the_likeliest_size() -> None:
    """Through the end of the memory and beyond."""
    module = adaptive().double()
    utterances = [utterance(12, seed, torch.double) for seed in range(8)]
    asked = queries(8, 30, dtype=torch.double)
    steps = attend(module, module.prepare(*padded(utterances)), asked, "hard")
    found, taken = torch.stack([step.state for step in steps], 1), set()
    for row, memory in enumerate(utterances):
        own = [query[row : row + 1] for query in asked]
        u = energy_table(module.chunk_energy, memory, own)
        sizes = [SIZES[int(size_logits(module, query).argmax())] for query in own]

        def weights(i: int, _: int, stop: int, u=u, sizes=sizes) -> np.ndarray:
            return oracle.softmax_between(u[i], max(0, stop - sizes[i] + 1), stop)

        e = energy_table(module.head.energy, memory, own, MIXED["offset"])
        expected, stops = oracle.hard_scan(e, weights)
        assert found[row].tolist() == stops
        np.testing.assert_allclose([s.weights[row].detach() for s in steps], expected, atol=1e-12)
        taken |= set(sizes)
    assert taken == set(SIZES)
    assert_all_cases(found, 12)


def test_hard_is_expected_where_every_probability_and_every_size_is_certain() -> None:
    assert_hard_is_expected(adaptive(decided=True))


def test_it_hears_nothing_after_the_stop() -> None:
    assert_future_is_unheard(adaptive())


@pytest.mark.parametrize("mode", ["expected", "hard"])
def test_with_one_size_it_is_mocha(mode: str) -> None:
    module = build(AdaptiveMoChA, **MIXED, chunk_sizes=[3])
    mocha = build(MoChA, 1, **MIXED, chunk_size=3)
    own = {k: v for k, v in module.state_dict().items() if not k.startswith("size_choice")}
    mocha.load_state_dict(own)
    batch, asked = padded([utterance(9), utterance(5, 1)]), queries(2, 8)
    pairs = zip(
        attend(module, module.prepare(*batch), asked, mode),
        attend(mocha, mocha.prepare(*batch), asked, mode),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a.weights, b.weights)


def test_it_costs_a_linear_map_of_the_query_more_than_mocha() -> None:
    difference = sum(p.numel() for p in build(AdaptiveMoChA).parameters()) - sum(
        p.numel() for p in build(MoChA).parameters()
    )
    assert difference == 4 * (QUERY_DIM + 1)  # four sizes unless told otherwise


@pytest.mark.parametrize("wrong", [[], [0, 2], [2, 2]])
def test_sizes_are_distinct_and_hold_an_entry(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^chunk_sizes must be distinct and at least 1, not"):
        build(AdaptiveMoChA, chunk_sizes=wrong)
