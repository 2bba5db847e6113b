"""The settings among which a sweep seeks: a range or a list of values for each dotted path."""

import math
import warnings
from collections.abc import Container, Iterator, Mapping
from itertools import product
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import Trial

from mocha_lightning.experiment.mistakes import ConfigError, hint

Space = Mapping[str, BaseDistribution]
"""By dotted path of the configuration."""
Values = dict[str, Any]
"""A setting: a value for each path."""

RANGE = ("low", "high", "step", "log")
MANY = 10_000
"""More settings than any grid should have."""


def read_space(
    written: Mapping[str, Any], whole: Container[str] = ()
) -> dict[str, BaseDistribution]:
    """What a sweep file says of its space.

    A list is a choice between its values. ``{low, high}`` is a range of real numbers; with
    ``log: true`` on a logarithmic scale, with ``step`` in steps from low on. Where low, high and
    step are whole numbers, so are the values.

    Args:
        written: by dotted path.
        whole: paths whose ranges are of whole numbers without a step, too.

    Raises:
        ConfigError: a range that is none, or a choice with nothing to choose; its keys are the
            path.
    """
    return {path: _dimension((path,), each, path in whole) for path, each in written.items()}


def written_out(space: Space) -> dict[str, Any]:
    """A space as a sweep file has it, with the step of every range of whole numbers."""
    return {path: _written_out(dimension) for path, dimension in space.items()}


def suggest(trial: Trial, space: Space) -> Values:
    """The setting of a trial: chosen by the study's sampler, as far as it is not chosen yet."""
    return {path: _suggest(trial, path, dimension) for path, dimension in space.items()}


def ends(space: Space) -> Iterator[tuple[str, Values]]:
    """Settings that have each end of each range, and each value of each choice, once.

    Yields:
        The path that is at an end, and the setting; all others stand at their first value.
    """
    first = {path: _values(dimension)[0] for path, dimension in space.items()}
    for path, dimension in space.items():
        for value in _values(dimension):
            yield path, {**first, path: value}


def grid(space: Space) -> list[Values]:
    """Every setting.

    Raises:
        ConfigError: there is no end of them, or there are too many; its keys are a path.
    """
    axes = {}
    count = 1
    for path, dimension in space.items():
        axes[path] = list(_all_values(path, dimension))
        count *= len(axes[path])
        if count > MANY:
            raise ConfigError((path,), f"makes more than {MANY:,} settings: leave some out")
    return [dict(zip(axes, cell, strict=True)) for cell in product(*axes.values())]


def _dimension(keys: tuple[str], written: Any, whole: bool) -> BaseDistribution:
    if isinstance(written, list):
        return _choice(keys, written)
    if not isinstance(written, dict) or not {"low", "high"} <= written.keys():
        raise ConfigError(keys, "must be a list of values, or {low: ..., high: ...}")
    for key in written:
        if key not in RANGE:
            raise ConfigError((*keys, key), f"is no key of a range: {hint(str(key), RANGE)}")
    for key in RANGE[:3]:
        value = written.get(key, 1)
        # A NaN; math.isnan takes no whole number of any size.
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise ConfigError((*keys, key), f"must be a number, not {value!r}")
    log = written.get("log", False)
    if not isinstance(log, bool):
        raise ConfigError((*keys, "log"), f"must be true or false, not {log!r}")
    low, high, step = written["low"], written["high"], written.get("step")
    if whole and step is None and isinstance(low, int) and isinstance(high, int):
        step = 1
    try:
        found = _range(low, high, step, log)
        counted = math.isfinite(found.high - found.low)
    except ValueError as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise ConfigError(keys, f"{said}: change its numbers") from error
    except ArithmeticError:
        counted = False
    if not counted:
        raise ConfigError(keys, "is too wide, or its step too small, to be counted: narrow it")
    if found.high != high:
        raise ConfigError((*keys, "high"), f"no step ends there: write {found.high!r}")
    return found


def _written_out(dimension: BaseDistribution) -> Any:
    if isinstance(dimension, CategoricalDistribution):
        return list(dimension.choices)
    assert isinstance(dimension, IntDistribution | FloatDistribution)
    found: dict[str, Any] = {"low": dimension.low, "high": dimension.high}
    if dimension.step is not None:
        found["step"] = dimension.step
    return {**found, "log": True} if dimension.log else found


def _range(
    low: float, high: float, step: float | None, log: bool
) -> IntDistribution | FloatDistribution:
    with warnings.catch_warnings():
        # Of an end that no step meets, for which Optuna takes the last one that is met.
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(low, int) and isinstance(high, int) and isinstance(step, int):
            return IntDistribution(low, high, log=log, step=step)
        return FloatDistribution(low, high, log=log, step=step)


def _choice(keys: tuple[str], values: list[Any]) -> CategoricalDistribution:
    if not values:
        raise ConfigError(keys, "has no value to choose: list some")
    for place, value in enumerate(values):
        if not isinstance(value, bool | int | float | str | None):
            raise ConfigError(
                (*keys, place), "must be a number, a text, true, false or null: list such values"
            )
        # By type, too, they would be two; but of equals Optuna's books know the first alone.
        if value in values[:place]:
            first = values[values.index(value)]
            said = "is there twice" if type(first) is type(value) else f"is the same as {first!r}"
            raise ConfigError((*keys, place), f"{value!r} {said}: remove one")
    return CategoricalDistribution(values)


def _suggest(trial: Trial, path: str, dimension: BaseDistribution) -> Any:
    match dimension:
        case CategoricalDistribution():
            return trial.suggest_categorical(path, dimension.choices)
        case IntDistribution(low=low, high=high, step=step, log=log):
            return trial.suggest_int(path, low, high, step=step, log=log)
        case FloatDistribution(low=low, high=high, step=step, log=log):
            return trial.suggest_float(path, low, high, step=step, log=log)
    raise AssertionError(dimension)


def _values(dimension: BaseDistribution) -> list[Any]:
    if isinstance(dimension, CategoricalDistribution):
        return list(dimension.choices)
    assert isinstance(dimension, IntDistribution | FloatDistribution)
    return [dimension.low, dimension.high]


def _all_values(path: str, dimension: BaseDistribution) -> Iterator[Any]:
    if isinstance(dimension, CategoricalDistribution):
        yield from dimension.choices
        return
    assert isinstance(dimension, IntDistribution | FloatDistribution)
    if dimension.step is None:
        raise ConfigError((path,), "has no end of values for a grid: give a step, or list them")
    count = round((dimension.high - dimension.low) / dimension.step) + 1
    if count > MANY:
        raise ConfigError((path,), f"makes more than {MANY:,} settings: leave some out")
    for place in range(count):
        # Three steps of 0.1 are more than 0.3.
        yield min(dimension.low + place * dimension.step, dimension.high)
