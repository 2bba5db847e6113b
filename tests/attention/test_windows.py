"""Softmax over a part of the memory, at the price of that part alone."""

import numpy as np
import pytest
import torch
from oracles.windows import within

from attention.setting import ENERGY_DIM, MEMORY_DIM, QUERY_DIM, energy_table, queries, utterance
from mocha_lightning.attention.energy import AdditiveEnergy
from mocha_lightning.attention.windows import window_softmax

WINDOWS = [(0, 8), (0, 0), (8, 8), (3, 6), (-5, 2), (6, 20), (-9, 30), (5, 4), (9, 12), (-3, -1)]


def energy() -> AdditiveEnergy:
    torch.manual_seed(0)
    return AdditiveEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM).double()


def test_a_batch_of_windows_is_a_loop_over_them() -> None:
    module, memory = energy(), utterance(9, dtype=torch.double)
    asked = queries(len(WINDOWS), 1, dtype=torch.double)[0]
    keys = module.project(memory).expand(len(WINDOWS), -1, -1)
    first, last = torch.tensor(WINDOWS).unbind(1)
    valid = torch.ones(len(WINDOWS), 9, dtype=torch.bool)
    found = window_softmax(module, asked, keys, valid, first, last)
    for row, (query, window) in enumerate(zip(asked, WINDOWS, strict=True)):
        (energies,) = energy_table(module, memory, [query.unsqueeze(0)])
        np.testing.assert_allclose(found[row].detach(), within(energies, *window), atol=1e-12)


def test_padding_is_left_out() -> None:
    module, memory = energy(), utterance(9, dtype=torch.double)
    query, keys = queries(1, 1, dtype=torch.double)[0], module.project(memory).unsqueeze(0)
    valid = torch.arange(9).unsqueeze(0) < 5
    first, last = torch.tensor([2]), torch.tensor([7])
    found = window_softmax(module, query, keys, valid, first, last)
    short = window_softmax(module, query, keys[:, :5], valid[:, :5], first, last)
    torch.testing.assert_close(found[:, :5], short)
    assert (found[:, 5:] == 0).all()


@pytest.mark.parametrize(
    ("windows", "width"), [([(2, 4)], 3), ([(-9, 0), (5, 6)], 2), ([(9, 30)], 0), ([(3, 10**9)], 6)]
)
def test_no_energy_outside_the_longest_window_is_evaluated(
    windows: list[tuple[int, int]], width: int
) -> None:
    module, batch, evaluated = energy(), len(windows), []
    module.register_forward_pre_hook(lambda _, inputs: evaluated.append(inputs[1].shape[1]))
    first, last = torch.tensor(windows).unbind(1)
    keys = module.project(utterance(9, dtype=torch.double)).expand(batch, -1, -1)
    asked = queries(batch, 1, dtype=torch.double)[0]
    window_softmax(module, asked, keys, torch.ones(batch, 9, dtype=torch.bool), first, last)
    assert evaluated == [width]


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_an_empty_window_has_a_gradient_of_zero() -> None:
    module, values = energy(), utterance(9, dtype=torch.double).requires_grad_()
    keys = module.project(values).expand(2, -1, -1)
    first, last = torch.tensor([9, 2]), torch.tensor([12, 4])
    asked = queries(2, 1, dtype=torch.double)[0]
    with torch.autograd.detect_anomaly(check_nan=True):
        weights = window_softmax(module, asked, keys, torch.ones(2, 9, dtype=bool), first, last)
        weights[:, 3].sum().backward()
    assert values.grad.isfinite().all()
    assert (values.grad[5:] == 0).all()
    assert (values.grad[2:5] != 0).all()
