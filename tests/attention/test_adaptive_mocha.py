"""MoChA with a chunk size chosen for each output."""

import numpy as np
import pytest
import torch
from oracles import adaptive_chunks as oracle
from oracles.alignment import Sequence

from attention.claims import (
    Output,
    Utterance,
    assert_all_cases,
    assert_attend_alike,
    assert_expected_steps,
    assert_future_is_unheard,
    assert_hard_is_expected,
    assert_hard_steps,
    stops_of,
)
from attention.series import double, normal, spread
from attention.setting import MIXED, QUERY_DIM, build
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
    module = adaptive()

    def mixed(at: Output) -> Sequence:
        exponentials = np.exp(size_logits(module, at.query))
        return oracle.mixed_chunkwise(at.alpha, at.u, exponentials / exponentials.sum(), SIZES)

    assert_expected_steps(module, mixed)


def test_hard_steps_take_the_likeliest_size() -> None:
    module, taken = adaptive(), set()

    def process(one: Utterance) -> tuple[list[Sequence], list[int]]:
        sizes = [SIZES[int(size_logits(module, query).argmax())] for query in one.queries]
        taken.update(sizes)
        return oracle.hard_scan(
            one.e,
            lambda i, _, stop: oracle.softmax_between(one.u[i], max(0, stop - sizes[i] + 1), stop),
        )

    steps = assert_hard_steps(module, process)
    assert taken == set(SIZES)
    assert_all_cases(stops_of(steps), 12)


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
    assert_attend_alike(module, mocha, mode)


def test_it_costs_a_linear_map_of_the_query_more_than_mocha() -> None:
    difference = sum(p.numel() for p in build(AdaptiveMoChA).parameters()) - sum(
        p.numel() for p in build(MoChA).parameters()
    )
    assert difference == 4 * (QUERY_DIM + 1)  # four sizes unless told otherwise


@pytest.mark.parametrize("wrong", [[], [0, 2], [2, 2]])
def test_sizes_are_distinct_and_hold_an_entry(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^chunk_sizes must be distinct and at least 1, not"):
        build(AdaptiveMoChA, chunk_sizes=wrong)
