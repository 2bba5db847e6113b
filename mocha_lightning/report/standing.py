"""What a report that stands was made of: its `results.json` has each run's result as it was."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.pairs import is_repeated
from mocha_lightning.experiment.places import EXPERIMENT
from mocha_lightning.experiment.published import Published
from mocha_lightning.experiment.schema import check_known
from mocha_lightning.report.alike import unlike_runs
from mocha_lightning.report.problems import read_json
from mocha_lightning.report.reading import impossible_score, read_runs
from mocha_lightning.report.results import Expectation, MetricChoice, Result, RunName, Runs

RESULTS = "results.json"
"""All that a report says, of an experiment or a sweep."""


@dataclass(frozen=True)
class _Variant:
    variant: str


@dataclass(frozen=True)
class _Pair:
    a: str
    b: str


@dataclass(frozen=True)
class _Standing:
    """What of a report its runs do not say; the rest of it follows from them."""

    schema: Annotated[int, Field(ge=1)]
    metric: MetricChoice
    variants: tuple[_Variant, ...]
    comparisons: tuple[_Pair, ...]
    missing: tuple[RunName, ...]
    published: Published | None
    runs: tuple[Result, ...]


_STANDING = TypeAdapter(_Standing)


def runs_behind(folder: Path) -> Runs:
    """Read the runs in `runs/<experiment>`, or those that a report in `reports/<experiment>` is of.

    Raises:
        UserError: it is neither, or cannot be trusted.
    """
    if not (folder / EXPERIMENT).exists() and (folder / RESULTS).exists():
        return read_standing(folder)
    return read_runs(folder)


def read_standing(folder: Path) -> Runs:
    """Read the runs that the report in `reports/<experiment>` is of; its name is the folder's.

    Raises:
        UserError: `results.json` cannot be read, is no report's, or contradicts itself.
    """
    path = folder / RESULTS
    standing = read_json(path, _STANDING, _REMEDY, ":")
    for schema in (standing.schema, *(run.schema for run in standing.runs)):
        check_known(path, schema)
    results = {
        row.variant: tuple(run for run in standing.runs if run.variant == row.variant)
        for row in standing.variants
    }
    problem = next(_problems(standing, results), None)
    if problem is not None:
        raise UserError(f"{path}: {problem}: {_REMEDY}")
    names = _names(standing)
    return Runs(
        # Of a link its own: the index leads there.
        experiment=(folder.resolve() if folder.name in ("", "..") else folder).name,
        expectation=Expectation(
            seeds=tuple(dict.fromkeys(name.seed for name in names)),
            metric=standing.metric,
            variants={name: runs[0].differences if runs else {} for name, runs in results.items()},
            comparisons=tuple((pair.a, pair.b) for pair in standing.comparisons),
            published=standing.published,
        ),
        results=results,
        missing=standing.missing,
        unexpected=(),
    )


_REMEDY = "no report that can be read again; make it anew from its runs (mocha-lightning report)"


def _names(standing: _Standing) -> list[RunName]:
    return [*(RunName(run.variant, run.seed) for run in standing.runs), *standing.missing]


def _problems(standing: _Standing, results: dict[str, tuple[Result, ...]]) -> Iterator[str]:
    """What cannot be of a report whose runs were read as `read_runs` reads them."""
    if not standing.runs:
        yield "key runs: there is none"
    known = {row.variant for row in standing.variants}
    named = {name.variant for name in _names(standing)}
    named |= {name for pair in standing.comparisons for name in (pair.a, pair.b)}
    for name in sorted(named - known):
        yield f"key variants: {name!r} is not there"
    if len(known) < len(standing.variants):
        yield "key variants: one is there twice"
    for (variant, seed), count in Counter(_names(standing)).items():
        if count > 1:
            yield f"key runs: {variant} seed {seed} is there, or missing, more than once"
    pairs = [(pair.a, pair.b) for pair in standing.comparisons]
    for place, (a, b) in enumerate(pairs):
        if a == b:
            yield f"key comparisons: compares {a} with itself"
        if is_repeated(pairs, place):
            yield f"key comparisons: {a} against {b} is there twice"
    for run in standing.runs:
        if impossible := impossible_score(run):
            yield f"key runs: {run.variant} seed {run.seed}: {impossible}"
        if run.metric != standing.metric or standing.metric.name not in run.metrics:
            yield f"key runs: {run.variant} seed {run.seed} is not judged by {standing.metric.name}"
    for unlike, problem in unlike_runs(results):
        yield f"key runs: {unlike.variant} seed {unlike.seed}: {problem}"
