"""What the runs of an experiment left behind: `runs/<experiment>/<variant>/seed-<n>/result.json`.

Reading is strict. A result that cannot be trusted (truncated, of a newer schema, of another
experiment or metric) stops the report with the file and the key; it is never skipped.
"""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    Strict,
    TypeAdapter,
    ValidationError,
)

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.base import base_difference, base_of
from mocha_lightning.experiment.pairs import is_repeated
from mocha_lightning.experiment.places import EXPERIMENT, RESULT, run_folder, run_folders
from mocha_lightning.experiment.published import Published
from mocha_lightning.experiment.schema import check_known
from mocha_lightning.report.problems import first_problem, read_json
from mocha_lightning.report.statistics import Mode

LARGEST = 1e50
"""No 32-bit number is as large, and the squares of larger ones are soon none of 64 bits."""
LARGEST_COUNT = 2**63 - 1
REMEDY = "delete the file and run that seed again"

# JSON has no NaN, so a result file writes null for it.


def _no_infinity(value: float) -> float:
    if abs(value) > LARGEST:
        raise ValueError("no score is infinite" if math.isinf(value) else "no score is so large")
    return value


def _configuration(config: dict[str, Any]) -> dict[str, Any]:
    """Check what a report looks up in it."""
    for part in ("task", "data"):
        place = config.get(part)
        if not (
            isinstance(place, dict)
            and isinstance(place.get("class_path"), str)
            and isinstance(place.get("init_args"), dict)
        ):
            raise ValueError(f"{part} must be a class_path with init_args")
    trainer = config.get("trainer")
    if not (isinstance(trainer, dict) and isinstance(trainer.get("max_steps"), int)):
        raise ValueError("trainer must have its max_steps")
    return config


def _different(seeds: tuple[int, ...]) -> tuple[int, ...]:
    """Check that no run would be counted twice."""
    for place, seed in enumerate(seeds):
        if seed in seeds[:place]:
            raise ValueError(f"{seed} is there twice: each seed is one run")
    return seeds


def _two_names(pair: tuple[str, str]) -> tuple[str, str]:
    if pair[0] == pair[1]:
        raise ValueError(f"compares {pair[0]} with itself")
    return pair


_Pair = Annotated[tuple[str, str], AfterValidator(_two_names)]


def _each_once(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    for place, pair in enumerate(pairs):
        if is_repeated(pairs, place):
            raise ValueError(f"{pair[0]} against {pair[1]} is there twice")
    return pairs


_Number = Annotated[
    float,
    BeforeValidator(lambda value: math.nan if value is None else value),
    AfterValidator(_no_infinity),
]
_ROUNDING = 1e-3
"""Scores went through 32-bit numbers."""
_Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
_Amount = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


@dataclass(frozen=True)
class MetricChoice:
    """The metric an experiment is judged by."""

    name: str
    mode: Mode

    def beside(self, name: str) -> str:
        """Return a metric's name on the same split: `undecided` beside `test/wer`."""
        prefix, slash, _ = self.name.rpartition("/")
        return f"{prefix}{slash}{name}"

    @property
    def expected(self) -> str:
        """The same metric, decoded with expected attention as in training."""
        return f"{self.name}_expected"

    @property
    def validation(self) -> str:
        """The same metric on the validation split, which learning curves show."""
        return "val/" + self.name.removeprefix("test/")

    @property
    def in_per_cent(self) -> bool:
        """Whether it is one of those that the suite gives in per cent."""
        return self.name.rpartition("/")[2].startswith(("wer", "rouge", "exact_match"))


@dataclass(frozen=True)
class Metric:
    """A measured value (NaN where the run diverged) and the signature of how it was measured."""

    value: _Number
    signature: str


class Departure(NamedTuple):
    """An argument that differs from the paper's."""

    key: str
    here: Any
    paper: Any


@dataclass(frozen=True)
class DataFacts:
    """The prepared corpus a run used."""

    name: str
    sha256: str
    description: dict[str, Any]


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from: enough to make it again."""

    commit: str | None
    dirty: bool | None
    versions: dict[str, str]
    hardware: str
    threads: _Count
    command: str
    started: str
    seconds: _Amount
    peak_memory_mib: _Amount | None
    diff_sha256: str | None = None
    """Of what was changed beside the commit; None where nothing was, or an older version ran."""
    files: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the experiment file and of those that it stands on, by path as it was given."""


@dataclass(frozen=True)
class Result:
    """One finished run, as its `result.json` tells it."""

    schema: Annotated[int, Field(ge=1)]
    experiment: str
    variant: str
    seed: int
    differences: dict[str, Any]
    metric: MetricChoice
    metrics: dict[str, Metric]
    best_step: _Count
    steps: _Count
    ended: str
    """`completed`, or why training ended before its last step, and at which."""
    parameters: _Count
    config_hash: str
    departures: tuple[Departure, ...]
    notes: tuple[str, ...]
    data: DataFacts
    config: Annotated[dict[str, Any], AfterValidator(_configuration)]
    places: tuple[str, ...]
    """Arguments of the data that say where files lie."""
    sources: dict[str, str]
    """SHA-256 of each module that holds a class of the user's own."""
    provenance: Provenance

    @property
    def diverged(self) -> bool:
        """Whether training ended early; such a run has all metrics, and none is a number."""
        return self.ended != "completed"


@dataclass(frozen=True)
class Expectation:
    """What `experiment.yaml` says there should be; the rest of that file is the runner's."""

    seeds: Annotated[
        tuple[Annotated[NonNegativeInt, Strict()], ...],
        Field(min_length=1),
        AfterValidator(_different),
    ]
    metric: MetricChoice
    variants: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    comparisons: Annotated[tuple[_Pair, ...], AfterValidator(_each_once)] = ()
    published: Published | None = None
    name: str | None = None


class RunName(NamedTuple):
    """Which run of an experiment."""

    variant: str
    seed: int


@dataclass(frozen=True)
class Runs:
    """The finished runs of one experiment, the missing ones, and those nobody asked for."""

    experiment: str
    expectation: Expectation
    results: dict[str, tuple[Result, ...]]
    """By variant, in the experiment file's order; seeds in order; empty where none is finished."""
    missing: tuple[RunName, ...]
    unexpected: tuple[RunName, ...]
    """Finished, but no longer in `experiment.yaml`: told, not counted."""

    def __iter__(self) -> Iterator[Result]:
        return (result for results in self.results.values() for result in results)


_RESULT = TypeAdapter(Result)
_EXPECTATION = TypeAdapter(Expectation)


def read_runs(folder: Path) -> Runs:
    """Read every result of the experiment in `runs/<experiment>`; its name is the folder's.

    Raises:
        UserError: no `experiment.yaml`, no finished run, or a file that cannot be trusted.
    """
    expectation = _read_expectation(folder)
    experiment = folder.resolve().name
    wanted = [RunName(name, seed) for name in expectation.variants for seed in expectation.seeds]
    found = set(_finished(folder))
    results = {
        name: tuple(
            _expected_result(folder, experiment, RunName(name, seed), expectation.metric)
            for seed in expectation.seeds
            if RunName(name, seed) in found
        )
        for name in expectation.variants
    }
    if not any(results.values()):
        raise UserError(
            f"{folder}: none of its {len(wanted)} runs is finished yet: do them, or go on with "
            f"them, by `{_run_command(folder)}`"
        )
    unlike = next(unlike_runs(results), None)
    if unlike is not None:
        run, problem = unlike
        raise UserError(
            f"{_path(folder, run)}: {problem}: delete the older ones and run them again"
        )
    return Runs(
        experiment=experiment,
        expectation=expectation,
        results=results,
        missing=tuple(run for run in wanted if run not in found),
        unexpected=tuple(sorted(found.difference(wanted))),
    )


def read_result(path: Path, remedy: str = REMEDY) -> Result:
    """Read one `result.json`.

    Args:
        path: the file's.
        remedy: what to do where it cannot be used.

    Raises:
        UserError: the file cannot be read, is truncated, has a newer schema or a wrong value.
    """
    result = read_json(path, _RESULT, remedy)
    check_known(path, result.schema)
    return result


def _read_expectation(folder: Path) -> Expectation:
    path = folder / EXPERIMENT
    remedy = f"mend it, or remove {path} and run the experiment's own file again to have it written"
    try:
        content = yaml.safe_load(path.read_bytes())
        expectation = _EXPECTATION.validate_python(content)
    except FileNotFoundError as error:
        raise UserError(
            f"{folder}: no experiment was begun here (there is no {path.name}): begin it by "
            f"`mocha-lightning run` with its file, such as experiments/{folder.resolve().name}.yaml"
            ", or give the name of one that was begun"
        ) from error
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable, and report again") from error
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(error)}: {remedy}") from error
    # YAML's own, of bytes that are no text, and of what looks like a date and is none.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}: {remedy}") from error
    name = folder.resolve().name
    if expectation.name not in (None, name):
        raise UserError(
            f"{path}: key name: {expectation.name!r}, and this is the folder of {name!r}: {remedy}"
        )
    for index, pair in enumerate(expectation.comparisons):
        for variant in pair:
            if variant not in expectation.variants:
                raise UserError(
                    f"{path}: key comparisons.{index}: no variant is named {variant!r}: {remedy}"
                )
    return expectation


def _finished(folder: Path) -> Iterator[RunName]:
    try:
        for variant, seed, run in run_folders(folder):
            # A link to what is not there is a result that cannot be read.
            if (run / RESULT).exists() or (run / RESULT).is_symlink():
                yield RunName(variant, seed)
    except OSError as error:
        raise UserError(
            f"{error.filename}: {error.strerror}: make it readable, or take it out of {folder}, "
            "and report again"
        ) from error


def _path(folder: Path, run: RunName) -> Path:
    return run_folder(folder, run.variant, run.seed) / RESULT


def _expected_result(folder: Path, experiment: str, run: RunName, metric: MetricChoice) -> Result:
    """Read a run's result and check that it is that run's, judged by the experiment's metric."""
    path = _path(folder, run)
    result = read_result(path)
    for key, found, wanted in (
        ("experiment", result.experiment, experiment),
        ("variant", result.variant, run.variant),
        ("seed", result.seed, run.seed),
        ("metric", result.metric, metric),
    ):
        if found != wanted:
            raise UserError(
                f"{path}: key {key}: {found!r} where this folder and its experiment.yaml say "
                f"{wanted!r}; move the file out of this experiment, or run that again"
            )
    if metric.name not in result.metrics:
        raise _unusable(path, f"key metrics.{metric.name}: missing, and the experiment needs it")
    if impossible := impossible_score(result):
        raise _unusable(path, impossible)
    return result


def impossible_score(result: Result) -> str | None:
    """Say which score cannot be; None where all can."""
    for name, metric in result.metrics.items():
        key, value = f"key metrics.{name}.value", metric.value
        if result.diverged and not math.isnan(value):
            return f"{key}: {value:g}, where the run ended early ({result.ended})"
        low, high = _range(name, metric.signature)
        if value < low - _ROUNDING or value > high + _ROUNDING:
            return f"{key}: {value:g} is not from {low:g} to {high:g}"
    return None


def _range(name: str, signature: str) -> tuple[float, float]:
    """What a score of the suite's own can be."""
    if signature.startswith("share of "):
        return 0.0, 1.0
    if not MetricChoice(name, "min").in_per_cent:
        return -math.inf, math.inf
    # There may be more errors than words.
    return 0.0, math.inf if "/wer" in name else 100.0


def unlike_runs(results: Mapping[str, Sequence[Result]]) -> Iterator[tuple[RunName, str]]:
    """Which runs cannot stand beside the others of their variant, or of the experiment, and why.

    Args:
        results: by variant.
    """
    for repeats in results.values():
        yield from _unlike_repeats(repeats)
    yield from _unlike_bases([run for repeats in results.values() for run in repeats[:1]])


def _unlike_repeats(repeats: Sequence[Result]) -> Iterator[tuple[RunName, str]]:
    """Runs of one variant that are not repeats of one thing under different seeds."""
    for result in repeats[1:]:
        first = repeats[0]
        name = result.metric.name
        for key, here, there in (
            ("config", *_apart(result, first)),
            ("sources", result.sources, first.sources),
            ("parameters", result.parameters, first.parameters),
            ("data.sha256", result.data.sha256, first.data.sha256),
            (
                f"metrics.{name}.signature",
                result.metrics[name].signature,
                first.metrics[name].signature,
            ),
            ("metrics", sorted(result.metrics), sorted(first.metrics)),
        ):
            if here != there:
                yield (
                    RunName(result.variant, result.seed),
                    f"key {key}: {here} where seed {first.seed} of the same variant has {there}; "
                    "such runs cannot share a mean",
                )


def _apart(one: Result, other: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where two configurations differ, place of the data apart."""
    if one.config == other.config and one.places == other.places:
        return {}, {}
    bases = [base_of(run.config, (), run.places) for run in (one, other)]
    keys = [key for key in {**bases[0], **bases[1]} if bases[0].get(key) != bases[1].get(key)]
    return {key: bases[0].get(key) for key in keys}, {key: bases[1].get(key) for key in keys}


def _unlike_bases(firsts: Sequence[Result]) -> Iterator[tuple[RunName, str]]:
    """Variants that differ in more than what variants say."""
    varied = {path for run in firsts for path in run.differences}
    for run in firsts[1:]:
        if changed := base_difference(firsts[0], run, varied):
            yield (
                RunName(run.variant, run.seed),
                f"between it and {firsts[0].variant} differs what no variant changes ({changed}); "
                "such variants cannot be compared",
            )


def _run_command(folder: Path) -> str:
    """Say what does the experiment in a folder, whichever file and options it once came from."""
    name = folder.resolve().name
    words = ["mocha-lightning", "run", str(folder / EXPERIMENT), "--name", name]
    # Without --runs the runs would go to the default folder of all runs.
    if folder != Path("runs") / name:
        words += ["--runs", str(folder.resolve().parent)]
    return shlex.join(words)


def _unusable(path: Path, problem: str) -> UserError:
    return UserError(f"{path}: {problem}; {REMEDY}")
