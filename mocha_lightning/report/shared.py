"""Which runs stand in several reports: their numbers are one finding, not one for each report."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mocha_lightning.report.content import Report
from mocha_lightning.report.names import seed_names
from mocha_lightning.report.results import Result


class _Key(NamedTuple):
    """What decides a run's numbers, on one machine and by one state of the code."""

    config_hash: str
    seed: int
    data_sha256: str


_Runs = Mapping[_Key, Result]


def shared_runs(reports: Sequence[Report]) -> dict[str, list[str]]:
    """Say, by experiment, which variants have runs that are another experiment's too.

    Experiments share variants, so that each has its baseline. Whoever reads all of them must not
    take such runs for a finding that was made again.
    """
    variants: dict[str, dict[str, dict[_Key, Result]]] = {}
    for report in reports:
        for run in report.runs:
            key = _Key(run.config_hash, run.seed, run.data.sha256)
            variants.setdefault(report.experiment, {}).setdefault(run.variant, {})[key] = run
    return {
        name: [
            sentence
            for variant, runs in found.items()
            for sentence in _sentences(variant, runs, {**variants, name: {}})
        ]
        for name, found in variants.items()
    }


def _sentences(
    variant: str, runs: _Runs, others: Mapping[str, Mapping[str, _Runs]]
) -> Iterator[str]:
    places: dict[tuple[bool, tuple[int, ...]], list[str]] = {}
    for experiment, found in others.items():
        for name, theirs in found.items():
            shared = [key for key in runs if key in theirs]
            if shared:
                equal = all(_value(runs[key]) == _value(theirs[key]) for key in shared)
                seeds = tuple(key.seed for key in shared)
                place = experiment if name == variant else f"{experiment} ({name})"
                places.setdefault((equal, seeds), []).append(place)
    for (equal, seeds), named in places.items():
        who = f"{variant}, {seed_names(seeds)}: the same configuration, seeds and data as in "
        if equal:
            yield f"{who}{', '.join(named)}, and the same numbers: one finding, told again."
        else:
            yield (
                f"{who}{', '.join(named)}, where other code or another machine came to other "
                "numbers: done again, and no independent replication."
            )


def _value(run: Result) -> str:
    """As text, in which a run that diverged is equal to another."""
    return repr(run.metrics[run.metric.name].value)
