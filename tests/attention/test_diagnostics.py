"""The undecided share: how much of what the head inspects it neither takes nor leaves."""

import numpy as np
import pytest
import torch
from oracles.alignment import alignment_by_starts, reach_by_starts, sigmoid

from attention.setting import (
    HEADED,
    MECHANISMS,
    attend,
    build,
    energy_table,
    make_binary,
    padded,
    queries,
    utterance,
)
from mocha_lightning.attention.diagnostics import undecided_mass


@pytest.mark.parametrize("name", HEADED)
def test_it_is_what_a_loop_over_outputs_and_entries_counts(name: str) -> None:
    module = build(MECHANISMS[name]).double().eval()
    utterances = [utterance(8, 0, torch.double), utterance(5, 1, torch.double)]
    asked, counted = queries(2, 4, dtype=torch.double), [4, 2]
    expected_undecided = expected_total = 0.0
    for row, memory in enumerate(utterances):
        own = [query[row : row + 1] for query in asked]
        table = energy_table(module.head.energy, memory, own, module.head.r.item())
        alpha = np.eye(len(memory))[0]
        for logits in table[: counted[row]]:
            reach = reach_by_starts(logits, alpha)
            for probability, mass in zip(sigmoid(logits), reach, strict=True):
                expected_total += mass
                expected_undecided += mass if 0.1 < probability < 0.9 else 0
            alpha = alignment_by_starts(logits, alpha)

    memory = module.prepare(*padded(utterances))
    steps = attend(module, memory, asked, "expected")
    valid_outputs = torch.arange(4) < torch.tensor(counted).unsqueeze(1)
    undecided, total = undecided_mass(steps, module.expected_start(memory), valid_outputs)
    assert total == pytest.approx(expected_total, rel=1e-6)
    assert undecided == pytest.approx(expected_undecided, rel=1e-6)
    assert 0 < undecided < total


@pytest.mark.parametrize("name", HEADED)
def test_a_head_that_always_decides_has_none(name: str) -> None:
    module = make_binary(build(MECHANISMS[name])).eval()
    memory = module.prepare(*padded([utterance(8)]))
    steps = attend(module, memory, queries(1, 3), "expected")
    undecided, total = undecided_mass(
        steps, module.expected_start(memory), torch.ones(1, 3, dtype=torch.bool)
    )
    assert undecided == 0
    assert total > 0


def test_the_bounds_are_a_tenth_and_nine_tenths() -> None:
    """Four entries with p just outside and just inside; each is reached, for none stops wholly."""
    module = build(MECHANISMS["monotonic"]).eval()
    memory = module.prepare(*padded([utterance(4)]))
    (step,) = attend(module, memory, queries(1, 1), "expected")
    logits = torch.logit(torch.tensor([[0.09, 0.11, 0.89, 0.91]]))
    step = step._replace(logits=logits)
    undecided, total = undecided_mass(
        [step], torch.tensor([[1.0, 0, 0, 0]]), torch.ones(1, 1, dtype=torch.bool)
    )
    reach = [1, 0.91, 0.91 * 0.89, 0.91 * 0.89 * 0.11]
    assert total == pytest.approx(sum(reach), rel=1e-5)
    assert undecided == pytest.approx(reach[1] + reach[2], rel=1e-5)
