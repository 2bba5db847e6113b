"""What a written report was made of: its `results.json` has each run's result as it was."""

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
from mocha_lightning.report.reading import impossible_score, read_runs
from mocha_lightning.report.results import Expectation, MetricChoice, Result, RunName, Runs
from mocha_lightning.report.strict import read_json

REPORT_FACTS = "results.json"
"""All that a report says, of an experiment or a sweep."""


@dataclass(frozen=True)
class _Variant:
    variant: str


@dataclass(frozen=True)
class _Pair:
    a: str
    b: str


@dataclass(frozen=True)
class _Written:
    """What of a report its runs do not say; the rest of it follows from them."""

    schema: Annotated[int, Field(ge=1)]
    metric: MetricChoice
    variants: tuple[_Variant, ...]
    comparisons: tuple[_Pair, ...]
    missing: tuple[RunName, ...]
    published: Published | None
    runs: tuple[Result, ...]


_WRITTEN = TypeAdapter(_Written)


def runs_behind(folder: Path) -> Runs:
    """Read the runs in `runs/<experiment>`, or those that a report in `reports/<experiment>` is of.

    Raises:
        UserError: it is neither, or cannot be trusted.
    """
    if not (folder / EXPERIMENT).exists() and (folder / REPORT_FACTS).exists():
        return read_report(folder)
    return read_runs(folder)


def read_report(folder: Path) -> Runs:
    """Read the runs that the report in `reports/<experiment>` is of; its name is the folder's.

    Raises:
        UserError: `results.json` cannot be read, is no report's, or contradicts itself.
    """
    path = folder / REPORT_FACTS
    written = read_json(path, _WRITTEN, _REMEDY, ":")
    for schema in (written.schema, *(run.schema for run in written.runs)):
        check_known(path, schema)
    results = {
        row.variant: tuple(run for run in written.runs if run.variant == row.variant)
        for row in written.variants
    }
    problem = next(_problems(written, results), None)
    if problem is not None:
        raise UserError(f"{path}: {problem}: {_REMEDY}")
    names = _names(written)
    return Runs(
        # Of a link its own: the index leads there.
        experiment=(folder.resolve() if folder.name in ("", "..") else folder).name,
        expectation=Expectation(
            seeds=tuple(dict.fromkeys(name.seed for name in names)),
            metric=written.metric,
            variants={name: runs[0].differences if runs else {} for name, runs in results.items()},
            comparisons=tuple((pair.a, pair.b) for pair in written.comparisons),
            published=written.published,
        ),
        results=results,
        missing=written.missing,
        unexpected=(),
    )


_REMEDY = "no report that can be read again; make it anew from its runs (mocha-lightning report)"


def _names(written: _Written) -> list[RunName]:
    return [*(RunName(run.variant, run.seed) for run in written.runs), *written.missing]


def _problems(written: _Written, results: dict[str, tuple[Result, ...]]) -> Iterator[str]:
    """What cannot be of a report whose runs were read as `read_runs` reads them."""
    if not written.runs:
        yield "key runs: there is none"
    known = {row.variant for row in written.variants}
    named = {name.variant for name in _names(written)}
    named |= {name for pair in written.comparisons for name in (pair.a, pair.b)}
    for name in sorted(named - known):
        yield f"key variants: {name!r} is not there"
    if len(known) < len(written.variants):
        yield "key variants: one is there twice"
    for (variant, seed), count in Counter(_names(written)).items():
        if count > 1:
            yield f"key runs: {variant} seed {seed} is there, or missing, more than once"
    pairs = [(pair.a, pair.b) for pair in written.comparisons]
    for place, (a, b) in enumerate(pairs):
        if a == b:
            yield f"key comparisons: compares {a} with itself"
        if is_repeated(pairs, place):
            yield f"key comparisons: {a} against {b} is there twice"
    for run in written.runs:
        if impossible := impossible_score(run):
            yield f"key runs: {run.variant} seed {run.seed}: {impossible}"
        if run.metric != written.metric or written.metric.name not in run.metrics:
            yield f"key runs: {run.variant} seed {run.seed} is not judged by {written.metric.name}"
    for unlike, problem in unlike_runs(results):
        yield f"key runs: {unlike.variant} seed {unlike.seed}: {problem}"
