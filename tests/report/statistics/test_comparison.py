"""Two variants' values against each other: SciPy's numbers, the paper's numbers, edge cases."""

import math

import numpy as np
import pytest
from scipy import stats

from mocha_lightning.report.statistics import compare, compare_summaries, summarise


def test_the_papers_own_numbers_are_not_significant() -> None:
    # Table 1: soft attention 14.6 +- 0.3, MoChA 15.0 +- 0.6, eight runs each.
    result = compare_summaries(15.0, 0.6, 8, 14.6, 0.3, 8)
    assert result.significant is False
    assert result.student_p == pytest.approx(0.1138, abs=5e-5)
    assert result.warning is None


@pytest.mark.parametrize(("n_a", "n_b"), [(2, 2), (3, 5), (8, 8), (30, 4)])
@pytest.mark.parametrize(("shift", "spread"), [(0.0, 1.0), (0.5, 3.0), (5.0, 0.01)])
def test_agrees_with_scipy_to_1e_12(n_a: int, n_b: int, shift: float, spread: float) -> None:
    generator = np.random.default_rng(n_a * 100 + n_b)
    a = list(3 + shift + generator.normal(size=n_a))
    b = list(3 + spread * generator.normal(size=n_b))
    student = stats.ttest_ind(a, b)
    welch = stats.ttest_ind(a, b, equal_var=False)

    result = compare(a, b)

    assert (result.n_a, result.n_b) == (n_a, n_b)
    assert result.difference == result.mean_a - result.mean_b
    for ours, scipys in (
        (result.student_t, student.statistic),
        (result.student_p, student.pvalue),
        (result.welch_t, welch.statistic),
        (result.welch_p, welch.pvalue),
        (result.welch_df, welch.df),
        (result.interval, tuple(welch.confidence_interval(0.95))),
    ):
        assert ours == pytest.approx(scipys, rel=1e-12, abs=1e-12)


def test_exchanging_the_sides_turns_every_sign() -> None:
    one, other = compare([1, 2, 4], [5, 6, 9]), compare([5, 6, 9], [1, 2, 4])
    assert one.student_t == -other.student_t
    assert one.student_p == other.student_p
    assert one.interval is not None
    assert other.interval == (-one.interval[1], -one.interval[0])


@pytest.mark.parametrize(("a", "b"), [([1.0], [2.0]), ([1.0], [2.0, 3.0]), ([2.0, 3.0], [1.0])])
def test_fewer_than_two_runs_on_a_side_is_no_test(a: list[float], b: list[float]) -> None:
    result = compare(a, b)
    assert result.difference == np.mean(a) - np.mean(b)
    assert result.student_t is result.student_p is result.interval is None
    assert result.welch_t is result.welch_p is result.welch_df is None
    assert result.significant is None


@pytest.mark.parametrize("b", [0.1, 0.7])
def test_no_variation_on_either_side_is_no_test(b: float) -> None:
    # 0.1 three times has a standard deviation of 1.7e-17 in floating point; and SciPy would
    # call 0.1 and 0.7 different with p = 0, on the strength of rounding errors.
    result = compare([0.1] * 3, [b] * 3)
    assert result.difference == pytest.approx(0.1 - b)
    assert result.student_p is result.welch_p is result.interval is None


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")  # SciPy's, on constants
def test_one_side_without_variation_is_still_tested() -> None:
    result = compare([2.0, 2.0, 2.0], [1.0, 2.0, 4.0])
    expected = stats.ttest_ind([2.0, 2.0, 2.0], [1.0, 2.0, 4.0], equal_var=False)
    assert result.welch_p == pytest.approx(expected.pvalue, rel=1e-12)
    assert result.welch_df == pytest.approx(2)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_run_that_diverged_is_refused_and_never_dropped(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        compare([1.0, bad, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        compare([1.0, 2.0], [1.0, bad, 2.0])
    with pytest.raises(ValueError, match="finite"):
        summarise([bad], "min")


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]]])
def test_values_must_be_one_for_each_run(values: list[float]) -> None:
    with pytest.raises(ValueError, match="one value for each run"):
        compare(values, [1.0, 2.0])


@pytest.mark.parametrize(
    ("mean", "sd", "n"), [(math.nan, 1.0, 3), (1.0, -1.0, 3), (1.0, None, 3), (1.0, 1.0, 0)]
)
def test_impossible_summaries_are_refused(mean: float, sd: float | None, n: int) -> None:
    with pytest.raises(ValueError, match="runs"):
        compare_summaries(mean, sd, n, 1.0, 1.0, 3)


def test_few_runs_carry_a_warning() -> None:
    five, four = [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0]
    assert compare(five, five).warning is None
    assert "fewer than 5" in (compare(five, four).warning or "")


def test_a_summary_is_the_papers_three_figures() -> None:
    lower = summarise([3.0, 1.0, 2.0], "min")
    assert (lower.n, lower.best, lower.mean, lower.sd) == (3, 1.0, 2.0, 1.0)
    assert summarise([3.0, 1.0, 2.0], "max").best == 3.0
    assert summarise([3.0], "min").sd is None
    assert summarise([0.1] * 3, "min").sd == 0.0
