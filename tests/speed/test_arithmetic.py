"""The functions in place of the C library's, as loops that LLVM makes vectors of."""

import re

import numpy as np
import pytest
from numba import njit

from mocha_lightning.speed.arithmetic import compiled, exp_below_1, tanh
from mocha_lightning.speed.loops import energy_of, softmax


@compiled
def all_tanh(x, y):
    for i in range(len(x)):
        y[i] = tanh(x[i])


@compiled
def all_exp(x, y):
    for i in range(len(x)):
        y[i] = exp_below_1(x[i])


def test_tanh_is_that_of_numpy() -> None:
    x = np.concatenate([np.linspace(-20, 20, 400_001), np.geomspace(1e-30, 1, 1001), [1e30, -1e30]])
    x = x.astype(np.float32)
    y = np.empty_like(x)
    all_tanh(x, y)
    np.testing.assert_allclose(y, np.tanh(x.astype(float)), rtol=0, atol=1e-6)


def test_exp_is_that_of_numpy() -> None:
    x = np.linspace(-87, 0, 400_001).astype(np.float32)
    y = np.empty_like(x)
    all_exp(x, y)
    np.testing.assert_allclose(y, np.exp(x.astype(float)), rtol=1e-6, atol=0)


def test_exp_of_what_float32_cannot_hold_is_next_to_nothing() -> None:
    x = np.array([-88.0, -1000.0, -np.finfo(np.float32).max], np.float32)
    y = np.empty_like(x)
    all_exp(x, y)
    assert np.all((y >= 0) & (y < 1e-37))


@pytest.mark.parametrize(
    ("loop", "arguments"),
    [(energy_of, 3), (softmax, 1)],
    ids=["energy", "softmax"],
)
def test_the_loops_compute_several_numbers_at_once(loop, arguments: int) -> None:
    # What Numba has kept on disk tells nothing of how it was compiled.
    options = {key: loop.targetoptions[key] for key in ("error_model", "fastmath")}
    fresh = njit(**options)(loop.py_func)
    fresh(*[np.ones(64, np.float32)] * arguments)
    code = fresh.inspect_llvm(fresh.signatures[0])
    assert re.search(r"fdiv .*<\d+ x float>", code)
