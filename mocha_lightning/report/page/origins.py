"""Where the numbers of the page are from: commands, commits, data, machines, a row for each run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from mocha_lightning.report.cautions import commit_label
from mocha_lightning.report.content import Report
from mocha_lightning.report.formats import decimal
from mocha_lightning.report.results import Result


@dataclass(frozen=True, kw_only=True)
class Origins:
    """What a sceptical reader traces a number to.

    Attributes:
        facts: distinct values over all runs, by what they are of.
        signatures: of every metric.
        runs: a row for each run; its command is a number, that of `Report.commands` from 1.
    """

    facts: dict[str, list[str]]
    signatures: dict[str, list[str]]
    runs: pd.DataFrame


def origins(report: Report) -> Origins:
    """Collect the origins of a report's numbers."""
    return Origins(
        facts=facts(report.runs),
        signatures=signatures(report.runs),
        runs=pd.DataFrame(list(_rows(report))),
    )


def facts(runs: Sequence[Result]) -> dict[str, list[str]]:
    """Distinct values of runs, by what they are of."""
    return {
        "commit": _distinct(runs, lambda run: run.provenance.commit or "unknown"),
        "changes beside the commit": _distinct(runs, lambda run: _DIRTY[run.provenance.dirty]),
        "data": _distinct(runs, lambda run: f"{run.data.name}, SHA-256 {run.data.sha256}"),
        "hardware": _distinct(runs, lambda run: run.provenance.hardware),
        "threads": _distinct(runs, lambda run: str(run.provenance.threads)),
        "versions": _distinct(runs, _versions),
        "experiment file": _distinct(runs, lambda run: _hashes(run.provenance.files)),
        "modules of one's own": _distinct(runs, lambda run: _hashes(run.sources)),
    }


def signatures(runs: Sequence[Result]) -> dict[str, list[str]]:
    """How each metric of runs was measured."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for name, metric in run.metrics.items():
            found.setdefault(name, {})[metric.signature] = None
    return {name: list(each) for name, each in found.items()}


_DIRTY = {True: "yes", False: "none", None: "unknown"}


def _distinct(runs: Sequence[Result], fact: Callable[[Result], str]) -> list[str]:
    return [text for text in dict.fromkeys(map(fact, runs)) if text]


def _versions(run: Result) -> str:
    return ", ".join(f"{name} {version}" for name, version in run.provenance.versions.items())


def _hashes(hashes: Mapping[str, str]) -> str:
    return ", ".join(f"{name}, SHA-256 {sha256}" for name, sha256 in hashes.items())


def _rows(report: Report) -> Iterator[dict[str, str]]:
    numbers = {command: str(number) for number, command in enumerate(report.commands, 1)}
    for run in report.runs:
        yield {
            "variant": run.variant,
            "seed": str(run.seed),
            report.metric.name: decimal(run.metrics[report.metric.name].value, report.digits),
            "best step": decimal(run.best_step, 0),
            "steps": decimal(run.steps, 0),
            "seconds": decimal(run.provenance.seconds, 0),
            "started": run.provenance.started,
            "command": numbers[run.provenance.command],
            "commit": commit_label(run.provenance),
            "data SHA-256": run.data.sha256[:12],
            "configuration's hash": run.config_hash,
        }
