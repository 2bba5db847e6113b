"""What a report knows of an experiment's runs: a `result.json` each, and `experiment.yaml`."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    Strict,
)

from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.pairs import is_repeated
from mocha_lightning.experiment.published import Published
from mocha_lightning.experiment.schema import COMPLETED

LARGEST = 1e50
"""No 32-bit number is as large, and the squares of larger ones are soon none of 64 bits."""
LARGEST_COUNT = 2**63 - 1

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
Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
_Amount = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


@dataclass(frozen=True)
class MetricChoice(Metric):
    """The metric an experiment is judged by, as its report speaks of it."""

    def beside(self, name: str) -> str:
        """Return a metric's name on the same split: `undecided` beside `test/wer`."""
        prefix, slash, _ = self.name.rpartition("/")
        return f"{prefix}{slash}{name}"

    @property
    def expected(self) -> str:
        """The same metric, decoded with expected attention as in training."""
        return f"{self.name}_expected"

    @property
    def in_per_cent(self) -> bool:
        """Whether it is one of those that the suite gives in per cent."""
        return self.name.rpartition("/")[2].startswith(("wer", "rouge", "exact_match"))


@dataclass(frozen=True)
class Measured:
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
    threads: Count
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
    metrics: dict[str, Measured]
    best_step: Count
    steps: Count
    ended: str
    """`completed`, or why training ended before its last step, and at which."""
    parameters: Count
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
        return self.ended != COMPLETED


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
