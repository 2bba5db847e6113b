"""The settings among which a sweep seeks."""

import math
from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.sweep.space import ends, grid, read_space, suggest, written_out


@pytest.mark.parametrize(
    ("written", "distribution"),
    [
        ([1, 2, 4], CategoricalDistribution([1, 2, 4])),
        ({"low": -6, "high": 2}, FloatDistribution(-6, 2)),
        ({"low": 1e-4, "high": 1e-1, "log": True}, FloatDistribution(1e-4, 1e-1, log=True)),
        ({"low": 1, "high": 7, "step": 2}, IntDistribution(1, 7, step=2)),
        ({"low": 0, "high": 1, "step": 0.25}, FloatDistribution(0, 1, step=0.25)),
    ],
)
def test_a_list_is_a_choice_and_low_and_high_a_range(written: Any, distribution: Any) -> None:
    space = read_space({"a.b": written})
    assert space == {"a.b": distribution}
    assert read_space(written_out(space)) == space


@pytest.mark.parametrize(
    ("written", "distribution"),
    [
        ({"low": 1, "high": 8}, IntDistribution(1, 8)),
        ({"low": 1, "high": 8, "log": True}, IntDistribution(1, 8, log=True)),
        ({"low": 1, "high": 7, "step": 2}, IntDistribution(1, 7, step=2)),
        ({"low": 1.0, "high": 8}, FloatDistribution(1, 8)),
    ],
)
def test_a_range_of_what_is_a_whole_number_is_of_whole_numbers(
    written: Any, distribution: Any
) -> None:
    space = read_space({"a.b": written}, whole={"a.b"})
    assert space == {"a.b": distribution}
    assert read_space(written_out(space)) == space


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ([], "has no value to choose"),
        ([1, 1], "1 is there twice"),
        ([1, 1.0], "1.0 is the same as 1: remove one"),
        ([0, "0", False], "False is the same as 0: remove one"),
        ([[1]], "must be a number, a text"),
        (3, "must be a list of values, or"),
        ({"low": 1}, "must be a list of values, or"),
        ({"low": 1, "high": 2, "by": 3}, "is no key of a range"),
        ({"low": "1", "high": 2}, "must be a number, not '1'"),
        ({"low": 2, "high": 1}, "low"),
        ({"low": 0, "high": 1, "log": True}, "log"),
        ({"low": 1, "high": 2, "log": 1}, "must be true or false"),
        ({"low": math.nan, "high": 2}, "must be a number, not nan"),
        ({"low": 1, "high": 4, "step": 2}, "no step ends there: write 3"),
        ({"low": 1, "high": 3, "step": 5}, "no step ends there: write 1"),
        ({"low": 0, "high": 1, "step": 0.3}, "no step ends there: write 0.9"),
        ({"low": 1, "high": 10**400, "step": 0.5}, "is too wide, or its step too small"),
        ({"low": 0, "high": 1e30, "step": 1e-5}, "is too wide, or its step too small"),
        ({"low": -1.7e308, "high": 1.7e308}, "is too wide, or its step too small"),
    ],
)
def test_what_is_no_range_or_choice_is_refused(written: Any, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint) as caught:
        read_space({"a.b": written})
    assert caught.value.keys[0] == "a.b"


def test_its_ends_are_those_of_each_range_and_every_value_of_each_choice() -> None:
    space = read_space({"w": [1, 2, 4], "r": {"low": -4, "high": 0}})
    assert [values for _, values in ends(space)] == [
        {"w": 1, "r": -4},
        {"w": 2, "r": -4},
        {"w": 4, "r": -4},
        {"w": 1, "r": -4},
        {"w": 1, "r": 0},
    ]


def test_a_grid_has_every_setting_once() -> None:
    space = read_space({"w": [1, 2], "r": {"low": -4, "high": 0, "step": 2}})
    assert grid(space) == [{"w": w, "r": r} for w in (1, 2) for r in (-4, -2, 0)]


def test_the_last_of_a_grid_s_steps_is_the_range_s_own_end() -> None:
    assert grid(read_space({"r": {"low": 0, "high": 0.3, "step": 0.1}}))[-1] == {"r": 0.3}


def test_a_range_without_steps_makes_no_grid_nor_do_too_many_settings() -> None:
    with pytest.raises(ConfigError, match="no end of values"):
        grid(read_space({"r": {"low": 0, "high": 1}}))
    with pytest.raises(ConfigError, match="more than 10,000"):
        grid(read_space({"r": {"low": 0, "high": 1, "step": 1e-9}}))


def test_the_sampler_chooses_within_the_space_and_what_is_chosen_stays() -> None:
    space = read_space({"w": [1, 2], "n": {"low": 1, "high": 9, "step": 2}, "r": [None, "a"]})
    study = optuna.create_study()
    trial = study.ask()
    values = suggest(trial, space)
    assert values["w"] in (1, 2)
    assert values["n"] in (1, 3, 5, 7, 9)
    assert suggest(trial, space) == values
