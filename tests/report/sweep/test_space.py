"""The space of a sweep."""

from typing import Any

import pytest

from mocha_lightning.report.sweep.space import dimensions


def test_a_list_is_a_choice_that_holds_its_values_alone() -> None:
    (each,) = dimensions({"a.w": [1, 2.0, True, "x", None]})
    assert each.values == (1, 2.0, True, "x", None)
    assert all(each.holds(value) for value in each.values)
    assert not any(each.holds(value) for value in (1.0, 2, False, "1", "y"))


def test_a_range_is_of_real_numbers_unless_all_of_it_is_whole() -> None:
    real, whole = dimensions({"r": {"low": -6, "high": 2}, "n": {"low": 1, "high": 9, "step": 2}})
    assert real.holds(-2.3)
    assert not real.holds(2.1)
    assert real.values == ()
    assert whole.values == (1, 3, 5, 7, 9)
    assert not any(whole.holds(value) for value in (2, 3.0, 11, True))


def test_a_step_makes_a_grid() -> None:
    (each,) = dimensions({"r": {"low": 0.0, "high": 0.3, "step": 0.1}})
    assert each.values == pytest.approx((0.0, 0.1, 0.2, 0.3))
    assert each.holds(0.1 + 0.2)
    assert not each.holds(0.15)


def test_of_many_values_none_is_listed() -> None:
    (each,) = dimensions({"n": {"low": 1, "high": 100, "step": 1}})
    assert each.values == ()
    assert each.holds(57)


@pytest.mark.parametrize(
    "written",
    [
        [],
        "x",
        {"low": 1},
        {"low": 1, "high": 2, "steps": 1},
        {"low": 2, "high": 1},
        {"low": 0, "high": 1, "log": True},
        {"low": 1, "high": 2, "log": 1},
        {"low": 0, "high": 1, "step": 0},
        {"low": "0", "high": 1},
        {"low": float("nan"), "high": 1},
        {"low": True, "high": 2},
        [[1]],
    ],
)
def test_what_is_no_range_is_refused_by_its_path(written: Any) -> None:
    with pytest.raises(ValueError, match=r"^a\.b: "):
        dimensions({"a.b": written})


def test_no_name_is_that_of_another_column() -> None:
    found = dimensions({"trainer.steps": [1], "x.state": [1], "x.size": [1]})
    assert [each.name for each in found] == ["trainer.steps", "x.state", "size"]
