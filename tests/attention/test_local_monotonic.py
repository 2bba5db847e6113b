"""Attention along the diagonal is Luong et al.'s local-m (2015)."""

import numpy as np
import pytest
import torch
from oracles.windows import local_monotonic

from attention.setting import attend, build, energy_table, padded, queries, utterance
from mocha_lightning.attention import LocalMonotonicAttention


@pytest.mark.parametrize("half_width", [0, 1, 3, 20])
@pytest.mark.parametrize("entries_per_output", [0.3, 1, 1.5, 4])
def test_weights_and_context_are_those_of_a_loop(
    entries_per_output: float, half_width: int
) -> None:
    arguments = {"entries_per_output": entries_per_output, "half_width": half_width}
    module = build(LocalMonotonicAttention, **arguments).double()
    memory, asked = utterance(12, dtype=torch.double), queries(1, 20, dtype=torch.double)
    steps = attend(module, module.prepare(*padded([memory])), asked, "expected")
    table = energy_table(module.energy, memory, asked)
    for step, weights in zip(steps, local_monotonic(table, **arguments), strict=True):
        np.testing.assert_allclose(step.weights[0].detach(), weights, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), weights @ memory.numpy(), atol=1e-12)


def supports(entries_per_output: float, half_width: int, outputs: int) -> list[list[int]]:
    """The entries that each output attends to, of a memory of eight."""
    module = build(
        LocalMonotonicAttention, entries_per_output=entries_per_output, half_width=half_width
    )
    memory = module.prepare(*padded([utterance(8)]))
    steps = attend(module, memory, queries(1, outputs), "expected")
    return [step.weights[0].nonzero().flatten().tolist() for step in steps]


def test_with_one_entry_an_output_the_t_th_output_is_at_the_t_th_entry() -> None:
    """Luong et al.'s p_t = t; what lies outside the sentence is left out."""
    assert supports(1, 1, 10) == [
        *([0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6, 7], [6, 7]),
        [7],
        [],
    ]


def test_each_output_is_at_the_middle_of_its_stretch() -> None:
    assert supports(4, 0, 3) == [[2], [6], []]
    assert supports(2.5, 0, 4) == [[1], [3], [6], []]
    assert supports(0.5, 0, 4) == [[0], [0], [1], [1]]


def test_past_the_diagonal_s_end_the_context_is_zero() -> None:
    module = build(LocalMonotonicAttention, entries_per_output=3, half_width=1)
    values, valid = padded([utterance(9), utterance(3, 1)])
    memory = module.prepare(values.requires_grad_(), valid)
    steps = attend(module, memory, queries(2, 3), "expected")
    contexts = torch.stack([step.context for step in steps])
    assert (contexts[1:, 1] == 0).all()
    assert (contexts[:, 0] != 0).all()
    contexts.sum().backward()
    assert values.grad.isfinite().all()


def test_it_attends_the_same_way_when_testing_and_costs_the_window() -> None:
    module, evaluated = build(LocalMonotonicAttention, half_width=2), []
    module.energy.register_forward_pre_hook(
        lambda _, inputs: evaluated.append(inputs[1].projected.shape[1])
    )
    memory, asked = module.prepare(*padded([utterance(30)])), queries(1, 6)
    pairs = zip(*(attend(module, memory, asked, m) for m in ("expected", "hard")), strict=True)
    assert all(torch.equal(a.context, b.context) for a, b in pairs)
    assert evaluated == [3, 4, 5, 5, 5, 5] * 2


def test_luong_et_al_s_numbers_are_the_defaults() -> None:
    module = build(LocalMonotonicAttention)
    assert (module.entries_per_output, module.half_width) == (1, 10)
    assert module.learning_rate_factors() == {}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"entries_per_output": 0.0}, "entries_per_output must be positive, not 0.0"),
        ({"entries_per_output": float("nan")}, "entries_per_output must be positive, not nan"),
        ({"half_width": -1}, "half_width must be at least 0, not -1"),
    ],
)
def test_a_diagonal_that_cannot_be_is_refused(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        build(LocalMonotonicAttention, **wrong)
