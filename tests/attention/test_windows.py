"""Softmax over a part of the memory, at the price of that part alone."""

import numpy as np
import pytest
import torch
from oracles.windows import within
from torch import Tensor

from attention.setting import (
    ENERGY_DIM,
    MEMORY_DIM,
    QUERY_DIM,
    counting,
    energy_table,
    queries,
    utterance,
)
from mocha_lightning.attention.base import Attended, Memory
from mocha_lightning.attention.energy import AdditiveEnergy
from mocha_lightning.attention.windows import window_softmax

WINDOWS = [(0, 8), (0, 0), (8, 8), (3, 6), (-5, 2), (6, 20), (-9, 30), (5, 4), (9, 12), (-3, -1)]


def energy() -> AdditiveEnergy:
    torch.manual_seed(0)
    return AdditiveEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM).double()


def dense(
    module: AdditiveEnergy, asked: Tensor, memory: Memory, first: Tensor, last: Tensor
) -> Tensor:
    """The weights of all entries."""
    weights, entries = window_softmax(module, asked, memory, memory.keys[0], first, last)
    return Attended(asked, weights, first, entries=entries).over(memory.valid.shape[1])


def memory_of(module: AdditiveEnergy, values: Tensor, batch: int = 1, length: int = 9) -> Memory:
    values = values.expand(batch, -1, -1)
    valid = torch.arange(values.shape[1]).expand(batch, -1) < length
    return Memory(values, valid, (module.project(values),))


def test_a_batch_of_windows_is_a_loop_over_them() -> None:
    module, values = energy(), utterance(9, dtype=torch.double)
    asked = queries(len(WINDOWS), 1, dtype=torch.double)[0]
    first, last = torch.tensor(WINDOWS).unbind(1)
    found = dense(module, asked, memory_of(module, values, len(WINDOWS)), first, last)
    for row, (query, window) in enumerate(zip(asked, WINDOWS, strict=True)):
        (energies,) = energy_table(module, values, [query.unsqueeze(0)])
        np.testing.assert_allclose(found[row].detach(), within(energies, *window), atol=1e-12)


def test_padding_is_left_out() -> None:
    module, values = energy(), utterance(9, dtype=torch.double)
    query = queries(1, 1, dtype=torch.double)[0]
    window = torch.tensor([2]), torch.tensor([7])
    found = dense(module, query, memory_of(module, values, length=5), *window)
    short = dense(module, query, memory_of(module, values[:5]), *window)
    torch.testing.assert_close(found[:, :5], short)
    assert (found[:, 5:] == 0).all()


@pytest.mark.parametrize(
    ("windows", "width"), [([(2, 4)], 3), ([(-9, 0), (5, 6)], 2), ([(9, 30)], 0), ([(3, 10**9)], 6)]
)
def test_no_energy_outside_the_longest_window_is_evaluated(
    windows: list[tuple[int, int]], width: int
) -> None:
    module, batch = energy(), len(windows)
    memory = memory_of(module, utterance(9, dtype=torch.double), batch)
    asked = queries(batch, 1, dtype=torch.double)[0]
    with counting(module) as counts:
        window_softmax(module, asked, memory, memory.keys[0], *torch.tensor(windows).unbind(1))
    assert counts == [batch * width]


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_an_empty_window_has_a_gradient_of_zero() -> None:
    module, values = energy(), utterance(9, dtype=torch.double).requires_grad_()
    first, last = torch.tensor([9, 2]), torch.tensor([12, 4])
    asked = queries(2, 1, dtype=torch.double)[0]
    with torch.autograd.detect_anomaly(check_nan=True):
        weights = dense(module, asked, memory_of(module, values, 2), first, last)
        weights[:, 3].sum().backward()
    assert values.grad.isfinite().all()
    assert (values.grad[5:] == 0).all()
    assert (values.grad[2:5] != 0).all()
