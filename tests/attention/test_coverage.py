"""Coverage: soft attention whose energies see how much each entry has had."""

import numpy as np
import pytest
import torch
from oracles.attention import soft_weights

from mocha_lightning.attention import CoverageAttention, SoftAttention

from .setting import attend, build, padded, queries, utterance

LENGTHS = [5, 1, 8]


def setting() -> tuple[CoverageAttention, list[torch.Tensor], list[torch.Tensor]]:
    module = build(CoverageAttention).double()
    utterances = [utterance(length, seed, torch.double) for seed, length in enumerate(LENGTHS)]
    return module, utterances, queries(len(LENGTHS), 4, dtype=torch.double)


def by_the_loop(module: CoverageAttention, memory: np.ndarray, outputs: list[np.ndarray]):
    """Softmax of v^T tanh(W_h h_j + W_s s_{i-1} + w_c c_{i,j} + b), entry by entry."""
    energy = module.energy
    v, w_h, w_s, b, w_c = (
        parameter.detach().numpy()
        for parameter in (
            energy.v,
            energy.memory_projection.weight,
            energy.query_projection.weight,
            energy.memory_projection.bias,
            module.w_c,
        )
    )
    covered, rows = np.zeros(len(memory)), []
    for s in outputs:
        energies = [
            v @ np.tanh(w_h @ h + w_s @ s + w_c * c + b)
            for h, c in zip(memory, covered, strict=True)
        ]
        rows.append(soft_weights(np.array(energies)))
        covered = covered + rows[-1]
    return rows


def test_weights_are_those_of_the_loop() -> None:
    module, utterances, given = setting()
    steps = attend(module, module.prepare(*padded(utterances, extra=2)), given, "expected")
    for row, memory in enumerate(utterances):
        outputs = [query[row].numpy() for query in given]
        expected = by_the_loop(module, memory.numpy(), outputs)
        for step, weights in zip(steps, expected, strict=True):
            found = step.weights[row].detach().numpy()
            np.testing.assert_allclose(found[: len(memory)], weights, rtol=1e-9)
            assert (found[len(memory) :] == 0).all()


def test_the_state_is_the_sum_of_the_weights_so_far() -> None:
    module, utterances, given = setting()
    steps = attend(module, module.prepare(*padded(utterances)), given, "hard")
    total = sum(step.weights for step in steps)
    torch.testing.assert_close(steps[-1].state, total)


def test_keys_that_are_made_again_have_the_same_gradients() -> None:
    module, utterances, given = setting()
    values, valid = padded(utterances)
    values.requires_grad_()

    def contexts(values: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        steps = attend(module, module.prepare(values, valid), given, "expected")
        return torch.stack([step.context for step in steps])

    assert torch.autograd.gradcheck(contexts, (values, module.w_c, module.energy.v))


def test_without_its_weight_it_is_soft_attention() -> None:
    module, soft = build(CoverageAttention), build(SoftAttention, 1)
    soft.load_state_dict({k: v for k, v in module.state_dict().items() if k != "w_c"})
    with torch.no_grad():
        module.w_c.zero_()
    given, batch = queries(1, 3), padded([utterance(7)])
    for one, other in zip(
        *(attend(each, each.prepare(*batch), given, "expected") for each in (module, soft)),
        strict=True,
    ):
        torch.testing.assert_close(one.context, other.context)


def test_what_has_been_attended_to_can_be_left() -> None:
    """With energies that fall with coverage the second output attends elsewhere."""
    module = build(CoverageAttention)
    with torch.no_grad():
        module.energy.query_projection.weight.zero_()
        module.energy.v.fill_(2)
        module.w_c.fill_(-5)
    first, second = attend(
        module, module.prepare(*padded([utterance(6)])), queries(1, 2), "expected"
    )
    assert second.weights[0, first.weights.argmax()] < 0.5 * first.weights.max()
    assert second.weights.sum().item() == pytest.approx(1)
