"""What a reader must know before believing a table: few runs, mixed origins, departures."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from mocha_lightning.experiment.base import deciding, hash_of
from mocha_lightning.report.formats import COMMIT_DIGITS
from mocha_lightning.report.names import run_names
from mocha_lightning.report.results import Departure, Provenance, Result, RunName, Runs
from mocha_lightning.report.statistics import FEW_RUNS


def warnings(runs: Runs) -> tuple[str, ...]:
    """Return what holds for the table as a whole: few runs, mixed origins, unexpected runs."""
    return (
        *_few_runs(runs),
        *mixed_origins(runs),
        *_mixed_departures(runs),
        *_redefined(runs),
        *_edited(runs),
        *_unexpected(runs),
    )


def departures(runs: Runs) -> tuple[tuple[Departure, tuple[str, ...]], ...]:
    """Return each argument that differs from the paper's, with the variants it holds for."""
    variants: dict[str, dict[str, None]] = {}
    found: dict[str, Departure] = {}
    for variant, results in runs.results.items():
        for departure in _told(results):
            key = json.dumps(departure, sort_keys=True)
            found[key] = departure
            variants.setdefault(key, {})[variant] = None
    return tuple((found[key], tuple(names)) for key, names in variants.items())


def _told(results: Sequence[Result]) -> Iterator[Departure]:
    """The departures of runs; those of a run that has the same as the one before only once."""
    before: Sequence[Departure] = ()
    for run in results:
        if run.departures != before:
            yield from run.departures
        before = run.departures


def commit_label(provenance: Provenance) -> str:
    """Name the code of a run: a short commit, and the changes it had beside it."""
    if provenance.commit is None:
        return "unknown"
    changes = " with uncommitted changes" if provenance.dirty else ""
    return provenance.commit[:COMMIT_DIGITS] + changes + _changes(provenance)


def _code(provenance: Provenance) -> str:
    """Name the code that all variants share: one may have modules that git does not track."""
    if provenance.commit is None:
        return "unknown"
    return provenance.commit[:COMMIT_DIGITS] + _changes(provenance)


def _changes(provenance: Provenance) -> str:
    return "" if provenance.diff_sha256 is None else f" ({provenance.diff_sha256[:12]})"


def made_by(runs: Iterable[Result]) -> str:
    """Say, in one line, how runs are made again: command, commit, data."""
    facts = [
        (run.provenance.command, commit_label(run.provenance), run.data.sha256[:12]) for run in runs
    ]
    commands, commits, data = (list(dict.fromkeys(fact)) for fact in zip(*facts, strict=True))
    return f"{' ; '.join(commands)} (commit {', '.join(commits)}; data sha256 {', '.join(data)})"


def _few_runs(runs: Runs) -> Iterator[str]:
    few = [f"{name} (N = {len(run)})" for name, run in runs.results.items() if len(run) < FEW_RUNS]
    if few:
        yield (
            f"Fewer than {FEW_RUNS} runs: {', '.join(few)}. Standard deviations and tests of so "
            "few are themselves unsure (the paper ran 8)."
        )


def mixed_origins(runs: Iterable[Result]) -> Iterator[str]:
    """Say what the runs of one table do not share though they should."""
    origins: list[dict[str, str | None]] = [
        {
            "commits": _code(run.provenance),
            "thread counts": str(run.provenance.threads),
            "hardware": run.provenance.hardware,
            # A run that ended early made fewer, which its footnote tells.
            "numbers of steps": None if run.diverged else str(run.steps),
            **{f"versions of {name}": text for name, text in run.provenance.versions.items()},
        }
        for run in runs
    ]
    for fact in dict.fromkeys(fact for origin in origins for fact in origin):
        values = (origin.get(fact, "unknown") for origin in origins)
        counts = Counter(value for value in values if value is not None)
        if len(counts) > 1:
            each = ", ".join(
                f"{value} ({number} run{'s' if number > 1 else ''})"
                for value, number in counts.items()
            )
            yield f"The runs come from different {fact}: {each}."


def _mixed_departures(runs: Runs) -> Iterator[str]:
    """Departures may differ between variants, that is what variants are for, but not within."""
    for variant, results in runs.results.items():
        lists = Counter(json.dumps(sorted(run.departures, key=str)) for run in results)
        if len(lists) > 1:
            yield (
                f"The runs of {variant} do not all depart from the paper in the same arguments: "
                "they come from different states of the experiment file or of the code."
            )


def _redefined(runs: Runs) -> Iterator[str]:
    """A variant may have been changed in the file since; the table is of what was run."""
    for variant, wanted in runs.expectation.variants.items():
        old = [run for run in runs.results[variant] if run.differences != wanted]
        if old:
            which = run_names([RunName(variant, run.seed) for run in old])
            yield (
                f"experiment.yaml describes {variant} in other words now than when {which} began: "
                "the table is of what was run then."
            )


def _edited(runs: Runs) -> Iterator[str]:
    """What decides a run is in its result, and so is the hash of that."""
    others = [RunName(run.variant, run.seed) for run in runs if _hash(run) != run.config_hash]
    if others:
        yield (
            f"What result.json says of how {run_names(others)} came about is not what its "
            "config_hash is of: it was edited since, or copied from another run, or written by "
            "another version. Run it again to be sure."
        )


def _hash(run: Result) -> str:
    return hash_of(
        deciding(
            run.config,
            run.places,
            data_sha256=run.data.sha256,
            metric=asdict(run.metric),
            seed=run.seed,
            sources=run.sources,
            threads=run.provenance.threads,
        )
    )


def _unexpected(runs: Runs) -> Iterator[str]:
    if runs.unexpected:
        yield (f"Left out, since experiment.yaml does not name them: {run_names(runs.unexpected)}.")
