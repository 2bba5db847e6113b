"""The figures of one variant."""

import pytest

from mocha_lightning.report.statistics import summarise

# The 97.5 % quantile of Student's t with 2 degrees of freedom, as tables print it.
T_2 = 4.30265


def test_the_interval_of_the_mean_is_student_s() -> None:
    found = summarise([4.0, 4.4, 4.2], "min")
    half = T_2 * 0.2 / 3**0.5
    assert found.interval == pytest.approx((4.2 - half, 4.2 + half), rel=1e-5)


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0, 1.0]])
def test_where_nothing_varies_there_is_none(values: list[float]) -> None:
    assert summarise(values, "max").interval is None
