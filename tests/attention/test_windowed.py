"""Windowed attention is Chorowski et al. (2015), as section 4 of the MoChA paper tells it."""

import numpy as np
import pytest
import torch
from oracles.windows import windowed

from attention.setting import attend, build, energy_table, padded, queries, utterance
from mocha_lightning.attention import SoftAttention, WindowedAttention


def sharp(**arguments) -> WindowedAttention:
    """Energies so different that the window wanders."""
    module = build(WindowedAttention, **arguments).double()
    with torch.no_grad():
        module.energy.v *= 5
    return module


@pytest.mark.parametrize("centre", ["maximum", "median"])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 7, 24, 100])
def test_weights_and_context_are_those_of_a_loop(width: int, centre: str) -> None:
    module = sharp(width=width, centre=centre)
    for seed in range(4):
        memory, asked = utterance(12, seed, torch.double), queries(1, 10, seed, torch.double)
        steps = attend(module, module.prepare(*padded([memory])), asked, "expected")
        table = energy_table(module.energy, memory, asked)
        for step, weights in zip(steps, windowed(table, width, centre), strict=True):
            np.testing.assert_allclose(step.weights[0].detach(), weights, atol=1e-12)
            context = weights @ memory.numpy()
            np.testing.assert_allclose(step.context[0].detach(), context, atol=1e-12)


def test_the_window_moves() -> None:
    module = sharp(width=5)
    steps = attend(module, module.prepare(*padded([utterance(30).double()])), to(10), "expected")
    assert len({step.state.item() for step in steps}) > 3


def to(outputs: int) -> list[torch.Tensor]:
    return queries(1, outputs, dtype=torch.double)


def test_the_two_centres_are_not_the_same() -> None:
    steps = [
        attend(module, module.prepare(*padded([utterance(30).double()])), to(10), "expected")
        for module in (sharp(width=9, centre=centre) for centre in ("maximum", "median"))
    ]
    assert any(not torch.equal(a.weights, b.weights) for a, b in zip(*steps, strict=True))


def test_in_a_window_as_wide_as_the_memory_it_is_soft_attention() -> None:
    module, soft = build(WindowedAttention, width=18), build(SoftAttention, 1)
    soft.load_state_dict(module.state_dict())
    batch, asked = padded([utterance(9), utterance(5, 1)]), queries(2, 8)
    pairs = zip(
        attend(module, module.prepare(*batch), asked, "expected"),
        attend(soft, soft.prepare(*batch), asked, "expected"),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a.context, b.context)


def test_it_attends_the_same_way_when_testing() -> None:
    module = sharp(width=4)
    memory = module.prepare(*padded([utterance(9).double()]))
    pairs = zip(*(attend(module, memory, to(5), m) for m in ("expected", "hard")), strict=True)
    assert all(torch.equal(a.context, b.context) for a, b in pairs)


def test_no_energy_outside_the_window_is_evaluated() -> None:
    module, evaluated = sharp(width=4), []
    module.energy.register_forward_pre_hook(
        lambda _, inputs: evaluated.append(inputs[1].projected.shape[1])
    )
    attend(module, module.prepare(*padded([utterance(30).double()])), to(10), "expected")
    assert evaluated[0] == 2  # half of the first window lies before the memory
    assert max(evaluated) == 4


def test_the_width_that_the_paper_names_is_the_default() -> None:
    module = build(WindowedAttention)
    assert (module.width, module.centre) == (150, "maximum")


def test_it_has_no_monotonic_head() -> None:
    module = build(WindowedAttention)
    (step,) = attend(module, module.prepare(*padded([utterance(9)])), queries(1, 1), "expected")
    assert step.logits is None
    assert module.learning_rate_factors() == {}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"width": 0}, "width must be at least 1, not 0"), ({"centre": "mean"}, "centre must be")],
)
def test_a_window_that_cannot_be_is_refused(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        build(WindowedAttention, **wrong)
