"""The space of a sweep, as its file tells it: a range or a list of values for each dotted path."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mocha_lightning.experiment.shown import short_names

FEW = 12
"""Of so many values each can be told of by itself."""
_ROUNDING = 1e-8
_TAKEN = ("trial", "state", "steps", "reason")
"""What the table of trials calls other columns."""
_RANGE = ("low", "high", "step", "log")


@dataclass(frozen=True, kw_only=True)
class Dimension:
    """What one path may be set to: one of some choices, or a number from low to high."""

    path: str
    name: str
    """The last parts of the path: as few as no other dimension has."""
    choices: tuple[Any, ...] = ()
    low: float = math.nan
    high: float = math.nan
    step: float | None = None
    log: bool = False
    whole: bool = False

    def holds(self, value: Any) -> bool:
        """Whether the path may be set to a value."""
        if self.choices:
            return any(value == each and type(value) is type(each) for each in self.choices)
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return False
        if self.step is None:
            return self.low <= value <= self.high
        steps, last = (value - self.low) / self.step, (self.high - self.low) / self.step
        # Three steps of 0.1 are a little more than 0.3.
        return -_ROUNDING < steps < last + _ROUNDING and abs(steps - round(steps)) < _ROUNDING

    @property
    def values(self) -> tuple[Any, ...]:
        """All of them, where they are few; else none."""
        if self.choices:
            return self.choices if len(self.choices) <= FEW else ()
        if self.step is None or (self.high - self.low) / self.step >= FEW:
            return ()
        number = math.floor((self.high - self.low) / self.step + _ROUNDING) + 1
        return tuple(self.low + place * self.step for place in range(number))


def dimensions(written: Mapping[str, Any]) -> tuple[Dimension, ...]:
    """Read a space.

    Args:
        written: by dotted path, a list of choices, or low and high, and perhaps step and log.

    Raises:
        ValueError: there is none, or one of them is neither.
    """
    if not written:
        raise ValueError("names no path: there is nothing to seek")
    names = short_names(list(written), _TAKEN)
    return tuple(_dimension(path, names[path], each) for path, each in written.items())


def _dimension(path: str, name: str, written: Any) -> Dimension:
    if isinstance(written, list) and written:
        if not all(isinstance(each, bool | int | float | str | None) for each in written):
            raise ValueError(f"{path}: a choice must be between numbers, texts, true, false, null")
        return Dimension(path=path, name=name, choices=tuple(written))
    if not isinstance(written, dict) or not {"low", "high"} <= written.keys() <= {*_RANGE}:
        raise ValueError(f"{path}: must be a list of values, or {{low: ..., high: ...}}")
    low, high, step, log = written["low"], written["high"], written.get("step"), written.get("log")
    log = False if log is None else log
    if not (_number(low) and _number(high) and (step is None or _number(step)) and low <= high):
        raise ValueError(f"{path}: must be a range of numbers")
    whole = all(isinstance(each, int) for each in (low, high, step))
    if not isinstance(log, bool) or (step is not None and step <= 0):
        raise ValueError(f"{path}: log must be true or false, and a step above 0")
    if log and (low <= 0 or (step is not None and not (whole and step == 1))):
        raise ValueError(f"{path}: a logarithmic scale begins above 0, and has no step but 1")
    return Dimension(path=path, name=name, low=low, high=high, step=step, log=log, whole=whole)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
