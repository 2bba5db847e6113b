"""The exponentials and tanh that the compiled kernels share, against NumPy's in float64."""

import numpy as np
import pytest

numba = pytest.importorskip("numba", reason="no Numba here: nothing is compiled by it")
exponential = pytest.importorskip("mocha_lightning.attention.kernels.compiled.exponential")


def computed(function: object, numbers: list[float]) -> np.ndarray:
    compiled = numba.njit(function)
    given = np.array(numbers, np.float32)
    found = np.empty_like(given)
    compiled(given, found)
    return found


def each_exp(numbers: np.ndarray, found: np.ndarray) -> None:
    for j in range(len(numbers)):
        found[j] = exponential.exp(numbers[j])


def test_exp_is_right_to_float32s_last_digit() -> None:
    numbers = np.linspace(-87.3, 88.3, 100_001, dtype=np.float32)
    expected = np.exp(numbers.astype(np.float64))
    np.testing.assert_allclose(computed(each_exp, numbers), expected, rtol=1.3e-7)


def test_exp_beyond_what_float32_holds_is_0_and_infinite() -> None:
    found = computed(each_exp, [-np.inf, -1e30, -89.0, 0.0, 89.0, 1e30, np.inf, np.nan])
    np.testing.assert_array_equal(found, [0, 0, 0, 1, np.inf, np.inf, np.inf, np.nan])


def each_sigmoid(numbers: np.ndarray, found: np.ndarray) -> None:
    exponential.sigmoids(numbers, found)


def test_sigmoids() -> None:
    numbers = np.linspace(-87, 87, 100_001, dtype=np.float32)
    expected = 1 / (1 + np.exp(-numbers.astype(np.float64)))
    np.testing.assert_allclose(computed(each_sigmoid, numbers), expected, rtol=2.5e-7)


def test_sigmoids_of_infinities_are_exactly_0_and_1() -> None:
    found = computed(each_sigmoid, [-np.inf, -1e4, 1e4, np.inf, np.nan])
    np.testing.assert_array_equal(found, [0, 0, 1, 1, np.nan])


def each_exponential(numbers: np.ndarray, found: np.ndarray) -> None:
    exponential.exponentials(numbers, found)


def test_exponentials_are_relative_to_the_largest() -> None:
    found = computed(each_exponential, [1000.0, 999.0, -np.inf])
    np.testing.assert_allclose(found, [1, np.exp(-1), 0], rtol=1.3e-7)


def test_exponentials_of_nothing_are_zeros() -> None:
    np.testing.assert_array_equal(computed(each_exponential, [-np.inf] * 3), [0, 0, 0])


@pytest.mark.parametrize("unknown", [np.nan, np.inf])
def test_exponentials_show_what_has_no_softmax(unknown: float) -> None:
    assert np.isnan(computed(each_exponential, [0.0, unknown, 1.0])).any()


def each_tanh(numbers: np.ndarray, found: np.ndarray) -> None:
    for j in range(len(numbers)):
        found[j] = exponential.tanh(numbers[j])


def test_tanh() -> None:
    numbers = np.concatenate([np.linspace(-12, 12, 100_001), np.logspace(-30, 0, 101)])
    given = numbers.astype(np.float32)
    np.testing.assert_allclose(
        computed(each_tanh, given), np.tanh(given.astype(np.float64)), rtol=3.5e-7
    )


def test_tanh_of_infinities_and_nan() -> None:
    found = computed(each_tanh, [-np.inf, 0.0, np.inf, np.nan])
    np.testing.assert_allclose(found, [-1, 0, 1, np.nan], rtol=2e-7)
