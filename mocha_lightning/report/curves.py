"""How runs learnt: the experiment's metric on the validation split, from their `curves.jsonl`."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import CURVES, run_folder
from mocha_lightning.report.results import LARGEST, LARGEST_COUNT, MetricChoice, Result, RunName


@dataclass(frozen=True)
class RunCurve:
    """One run's values after so many training steps, in ascending order; NaN where it has none."""

    run: RunName
    steps: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Curves:
    """The learning curves of an experiment, and the runs that have kept none."""

    metric: str
    runs: tuple[RunCurve, ...]
    lacking: tuple[RunName, ...]


def read_curves(folder: Path, runs: Sequence[Result], metric: MetricChoice) -> Curves:
    """Read the learning curve of every finished run.

    Args:
        folder: ``runs/<experiment>``.
        runs: its finished runs, diverged ones among them.
        metric: the experiment's; its value on the validation split is read.

    Raises:
        UserError: a file cannot be read or holds half a line.
    """
    found = []
    for run in runs:
        path = run_folder(folder, run.variant, run.seed) / CURVES
        points = dict(_points(path, metric.validation))
        found.append(
            RunCurve(RunName(run.variant, run.seed), tuple(points), tuple(points.values()))
        )
    return Curves(
        metric=metric.validation,
        runs=tuple(curve for curve in found if curve.steps),
        lacking=tuple(curve.run for curve in found if not curve.steps),
    )


def curve_records(curves: Curves) -> Iterator[dict[str, object]]:
    """A record for each point of each curve."""
    for curve in curves.runs:
        for step, value in zip(curve.steps, curve.values, strict=True):
            yield {**curve.run._asdict(), "step": step, curves.metric: value}


def logged_scores(run: Path) -> frozenset[str]:
    """Names of all that a run has logged by step and that was a number at some.

    Raises:
        UserError: its file cannot be read or holds half a line.
    """
    return frozenset(
        name
        for _, record in _records(run / CURVES)
        for name, value in record.items()
        if name != "step" and isinstance(value, int | float) and math.isfinite(value)
    )


def _points(path: Path, metric: str) -> Iterator[tuple[int, float]]:
    """The steps at which a metric was measured, and what it was."""
    for number, record in _records(path):
        try:
            if metric in record:
                yield _step(record["step"]), _value(record[metric])
        except (ValueError, KeyError) as error:
            raise _no_record(path, number, error) from error


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """What each line holds, and its number; nothing where there is no file."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): {_REMEDY}") from error
    for number, line in enumerate(lines, 1):
        try:
            record = from_json(line)
            if not isinstance(record, dict):
                raise ValueError("not an object")
        except ValueError as error:
            raise _no_record(path, number, error) from error
        yield number, record


def _no_record(path: Path, number: int, error: Exception) -> UserError:
    problem = f"no record of a step ({type(error).__name__}: {error})"
    return UserError(f"{path}, line {number}: {problem}: {_REMEDY}")


def _step(found: object) -> int:
    if type(found) is not int or not 0 <= found <= LARGEST_COUNT:
        raise ValueError(f"step {found!r} is no number of steps")
    return found


def _value(found: object) -> float:
    # JSON has no NaN, so the file has null for it.
    if found is None:
        return math.nan
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) <= LARGEST:
        raise ValueError(f"{found!r} is no score")
    return float(found)


_REMEDY = "remove it, the report does without"
