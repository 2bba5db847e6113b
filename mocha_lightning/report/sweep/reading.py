"""What a sweep left behind: `sweep.yaml`, each trial's `trial.json`, each run's `result.json`.

The files alone are read: the study of which they tell may be on a server that is out of reach.
Reading is as strict as that of an experiment's results.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, get_args

import yaml
from pydantic import (
    AfterValidator,
    Field,
    NonNegativeInt,
    PositiveInt,
    Strict,
    TypeAdapter,
    ValidationError,
)

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import (
    RESULT,
    SWEEP,
    TRIAL,
    TrialEnd,
    run_folder,
    trial_name,
    trial_numbers,
)
from mocha_lightning.report.reading import check_whose, read_result
from mocha_lightning.report.results import LARGEST, Count, MetricChoice, Result
from mocha_lightning.report.strict import first_problem, read_json
from mocha_lightning.report.sweep.space import Dimension, dimensions

STATES = get_args(TrialEnd)
"""How a trial ends, in the order of a report."""
AT_WORK = "at work"
"""What a trial is that has begun and not ended."""
REMEDY = "bring back the file as it was, or move the trial's folder out of the sweep's"
_ROUNDING = 1e-9

Setting = tuple[tuple[str, str], ...]
"""The values of a setting, of which two are the same if and only if the settings are."""


def _number(value: float) -> float:
    if not abs(value) <= LARGEST:
        raise ValueError(f"{value} is no score")
    return value


def _validated(metric: MetricChoice) -> MetricChoice:
    if not metric.name.startswith("val/"):
        raise ValueError(f"{metric.name!r} is not of the validation split (val/...)")
    return metric


def _different(seeds: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(seeds)) < len(seeds):
        raise ValueError("a seed is there twice")
    return seeds


def _space(written: dict[str, Any]) -> dict[str, Any]:
    dimensions(written)
    return written


_Score = Annotated[float, AfterValidator(_number)]
_Seed = Annotated[NonNegativeInt, Strict()]


@dataclass(frozen=True)
class Definition:
    """What `sweep.yaml` says of a sweep."""

    name: str
    experiment: str
    variant: str
    metric: Annotated[MetricChoice, AfterValidator(_validated)]
    seeds: Annotated[tuple[_Seed, ...], Field(min_length=1), AfterValidator(_different)]
    trials: PositiveInt
    steps: PositiveInt
    space: Annotated[dict[str, Any], AfterValidator(_space)]
    sampler: str | dict[str, Any]
    pruner: dict[str, Any] | None
    seed: int

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """Its space."""
        return dimensions(self.space)

    @property
    def sign(self) -> int:
        """What scores are multiplied by so that a lower one is better."""
        return 1 if self.metric.mode == "min" else -1


@dataclass(frozen=True)
class TrialRun:
    """A finished run of a trial; without a value it diverged."""

    seed: int
    value: _Score | None
    best_step: Count


@dataclass(frozen=True)
class Trial:
    """A trial that is over, as its `trial.json` tells it."""

    number: Count
    values: dict[str, Any]
    state: TrialEnd
    reason: str
    value: _Score | None
    runs: tuple[TrialRun, ...]
    intermediate: tuple[tuple[Count, _Score], ...]
    started: str
    ended: str

    @property
    def setting(self) -> Setting:
        """What it was set to."""
        return tuple((path, repr(value)) for path, value in sorted(self.values.items()))

    @property
    def scores(self) -> list[float]:
        """Of its runs, in their order, without those that diverged."""
        return [run.value for run in self.runs if run.value is not None]


@dataclass(frozen=True)
class Sweep:
    """A sweep's trials that are over, those that are not, and the results of all finished runs."""

    folder: Path
    definition: Definition
    trials: tuple[Trial, ...]
    """By number."""
    at_work: tuple[int, ...]
    results: Mapping[int, tuple[Result, ...]]
    """By the trial's number; of each, by seed."""


_DEFINITION = TypeAdapter(Definition)
_TRIAL = TypeAdapter(Trial)


def read_sweep(folder: Path) -> Sweep:
    """Read the sweep in `runs/<sweep>`; its name is the folder's.

    Raises:
        UserError: no trial is over, or a file cannot be trusted.
    """
    definition = _read_definition(folder)
    numbers = trial_numbers(folder)
    over = [number for number in numbers if (folder / trial_name(number) / TRIAL).exists()]
    if not over:
        raise UserError(
            f"{folder}: none of its {definition.trials} trials is over yet: wait for one, or go on "
            "with `mocha-lightning sweep` and the file that this sweep was begun with"
        )
    trials = [_read_trial(folder, number, definition) for number in over]
    found = {number: tuple(_results(folder / trial_name(number), definition)) for number in numbers}
    for trial in trials:
        _check_results(folder, trial, found[trial.number])
    return Sweep(
        folder=folder,
        definition=definition,
        trials=tuple(trials),
        at_work=tuple(number for number in numbers if number not in over),
        results=found,
    )


def _read_definition(folder: Path) -> Definition:
    path, name = folder / SWEEP, folder.resolve().name
    remedy = (
        "mend it, or give `mocha-lightning sweep` the sweep's own file again to have it written"
    )
    try:
        content = yaml.safe_load(path.read_bytes())
        if not isinstance(content, dict):
            raise UserError(f"{path}: holds no keys and values: {remedy}")
        definition = _DEFINITION.validate_python(content)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable, and report again") from error
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(error)}: {remedy}") from error
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UserError(f"{path}{line}: not YAML: {error.problem}: {remedy}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}: {remedy}") from error
    if definition.name != name:
        raise UserError(
            f"{path}: key name: {definition.name!r}, and this is the folder of {name!r}: {remedy}"
        )
    return definition


def _read_trial(folder: Path, number: int, definition: Definition) -> Trial:
    path = folder / trial_name(number) / TRIAL
    trial = read_json(path, _TRIAL, REMEDY)
    problem = _foreign(trial, number, definition) or _contradiction(trial, definition)
    if problem:
        raise UserError(f"{path}: {problem}; {REMEDY}")
    return trial


def _foreign(trial: Trial, number: int, definition: Definition) -> str | None:
    """Say what a trial has that one of this sweep has not; None where there is nothing."""
    if trial.number != number:
        return f"key number: {trial.number} in the folder of trial {number}"
    if problem := _outside(trial.values, definition):
        return f"key values{problem}"
    seeds = [run.seed for run in trial.runs]
    if len(set(seeds)) < len(seeds) or not set(seeds) <= set(definition.seeds):
        return f"key runs: seeds {seeds} where {SWEEP} has {list(definition.seeds)}"
    return None


def _outside(values: Mapping[str, Any], definition: Definition) -> str | None:
    """Say what of a setting is not in the sweep's space; None where all is."""
    paths = [dimension.path for dimension in definition.dimensions]
    if sorted(values) != sorted(paths):
        return f": sets {', '.join(sorted(values))} where {SWEEP} seeks {', '.join(sorted(paths))}"
    for dimension in definition.dimensions:
        value = values[dimension.path]
        if not dimension.holds(value):
            return f".{dimension.path}: {value!r} is not in the space of {SWEEP}"
    return None


def _contradiction(trial: Trial, definition: Definition) -> str | None:
    """Say what a trial tells that its own state or runs deny; None where nothing is."""
    if trial.state != "complete":
        return None if trial.value is None else f"key value: a number, of a trial {trial.state}"
    if trial.value is None:
        return "key value: none, of a complete trial"
    if len(trial.scores) != len(definition.seeds):
        return f"key runs: {len(trial.scores)} with a value, of {len(definition.seeds)} seeds"
    mean = math.fsum(trial.scores) / len(trial.scores)
    if not math.isclose(trial.value, mean, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
        return f"key value: {trial.value:g}, where the mean of its runs is {mean:g}"
    return None


def _results(folder: Path, definition: Definition) -> Iterator[Result]:
    """The results of a trial's finished runs, each checked to be that."""
    for seed in sorted(definition.seeds):
        path = run_folder(folder.parent, folder.name, seed) / RESULT
        if not path.exists():
            continue
        result = read_result(path, REMEDY)
        wanted = {
            "experiment": definition.name,
            "variant": folder.name,
            "seed": seed,
            "metric": definition.metric,
        }
        check_whose(path, result, wanted, SWEEP, REMEDY)
        if result.metric.name not in result.metrics:
            raise UserError(f"{path}: key metrics.{result.metric.name}: missing; {REMEDY}")
        if tested := [name for name in result.metrics if name.startswith("test/")]:
            raise UserError(
                f"{path}: key metrics.{tested[0]}: of the test split, which no run of a sweep "
                f"looks at; {REMEDY}"
            )
        if problem := _outside(result.differences, definition):
            raise UserError(f"{path}: key differences{problem}; {REMEDY}")
        yield result


def _check_results(folder: Path, trial: Trial, results: Sequence[Result]) -> None:
    """Refuse results of other settings than their trial's, or with other values."""
    told = {run.seed: run for run in trial.runs}
    for result in results:
        path = run_folder(folder, trial_name(trial.number), result.seed) / RESULT
        if result.differences != trial.values:
            raise UserError(
                f"{path}: key differences: {result.differences}, where {TRIAL} has {trial.values}; "
                f"{REMEDY}"
            )
        # A run that was over when its trial was given up is not among the trial's.
        run = told.get(result.seed)
        found = result.metrics[result.metric.name].value
        value = math.nan if run is None or run.value is None else run.value
        same = math.isnan(found) if math.isnan(value) else math.isclose(found, value)
        if run is not None and not same:
            raise UserError(
                f"{path}: key metrics.{result.metric.name}: {found:g}, where {TRIAL} says "
                f"{value:g}; {REMEDY}"
            )
