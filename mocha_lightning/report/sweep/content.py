"""All that the report of a sweep says, as numbers: a row for each trial, and how they stand."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mocha_lightning.experiment.places import BEST_SETTING
from mocha_lightning.report.cautions import commit_label, mixed_origins
from mocha_lightning.report.content import distinct
from mocha_lightning.report.corpus import data_label
from mocha_lightning.report.precision import decimals
from mocha_lightning.report.results import Result
from mocha_lightning.report.statistics import summarise
from mocha_lightning.report.sweep.ranking import Ranking, ranked, ranking
from mocha_lightning.report.sweep.reading import (
    AT_WORK,
    STATES,
    Definition,
    Sweep,
    Trial,
)


@dataclass(frozen=True, kw_only=True)
class TrialRow:
    """One trial. None: there is no such figure."""

    number: int
    state: str
    values: dict[str, Any] | None
    """By dotted path; None of a trial at work that has no finished run yet."""
    mean: float | None
    """Over its seeds; of complete trials alone."""
    sd: float | None
    scores: dict[int, float | None]
    """By seed, of its finished runs; None of one that diverged."""
    steps: int
    """Training steps made, as far as finished runs and validations tell."""
    reason: str
    started: str | None
    ended: str | None


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """All that a report of a sweep says, before it is put on a page."""

    schema: int = 1
    definition: Definition
    digits: int
    """Decimals of the metric and its spread."""
    states: dict[str, int]
    missing: int
    """Trials that were planned and have not ended, or failed, which is no end."""
    standing: Ranking | None
    rows: tuple[TrialRow, ...]
    """Complete trials, the best first, then the others by state and number."""
    trials: tuple[Trial, ...]
    warnings: tuple[str, ...]
    best_file: str
    """The experiment that compares the best setting with the variant as it was."""
    best_written: bool
    data: tuple[str, ...]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]
    commands: tuple[str, ...]
    commits: tuple[str, ...]
    data_sha256: tuple[str, ...]
    runs: tuple[Result, ...]

    @property
    def name(self) -> str:
        """The sweep's."""
        return self.definition.name


def build_sweep_report(sweep: Sweep) -> SweepReport:
    """Turn a sweep's trials into the rows, figures and cautions of a report.

    Args:
        sweep: over or not; one of its trials is over.
    """
    definition = sweep.definition
    counts = Counter[str](trial.state for trial in sweep.trials)
    runs = tuple(run for number in sorted(sweep.results) for run in sweep.results[number])
    rows = _rows(sweep)
    found = ranking(sweep.trials, definition)
    ended = counts.total() - counts["failed"]
    return SweepReport(
        definition=definition,
        digits=_digits(found, rows),
        states={
            **{state: counts[state] for state in STATES},
            AT_WORK: len(sweep.at_work),
        },
        missing=max(0, definition.trials - ended),
        standing=found,
        rows=rows,
        trials=sweep.trials,
        warnings=tuple(_warnings(runs)),
        best_file=str(sweep.folder / BEST_SETTING),
        best_written=(sweep.folder / BEST_SETTING).exists(),
        data=distinct(data_label(run.data) for run in runs),
        notes=distinct(note for run in runs for note in run.notes),
        signatures=distinct(run.metrics[run.metric.name].signature for run in runs),
        commands=distinct(run.provenance.command for run in runs),
        commits=distinct(commit_label(run.provenance) for run in runs),
        data_sha256=distinct(run.data.sha256 for run in runs),
        runs=runs,
    )


def _digits(found: Ranking | None, rows: Sequence[TrialRow]) -> int:
    """Decimals that show how runs of one setting vary, or else how settings do.

    Of many settings there is always one whose runs are equal by chance: no measure of either.
    """
    if found and found.near and found.near.pooled_sd:
        return decimals([found.near.pooled_sd], [])
    if found and found.summary.sd:
        return decimals([found.summary.sd], [])
    means = [row.mean for row in rows if row.mean is not None]
    return decimals([(max(means) - min(means)) / 10], []) if means else decimals([], [])


def _rows(sweep: Sweep) -> tuple[TrialRow, ...]:
    best_first = ranked(sweep.trials, sweep.definition)
    others = sorted(
        (trial for trial in sweep.trials if trial.state != "complete"),
        key=lambda trial: (STATES.index(trial.state), trial.number),
    )
    rows = [_row(trial, sweep) for trial in (*best_first, *others)]
    return (*rows, *(_row_at_work(number, sweep) for number in sweep.at_work))


def _row(trial: Trial, sweep: Sweep) -> TrialRow:
    complete = trial.state == "complete"
    validated = max((step for step, _ in trial.intermediate), default=0)
    return TrialRow(
        number=trial.number,
        state=trial.state,
        values={each.path: trial.values[each.path] for each in sweep.definition.dimensions},
        mean=trial.value,
        sd=summarise(trial.scores, sweep.definition.metric.mode).sd if complete else None,
        scores={run.seed: run.value for run in trial.runs},
        steps=max(validated, sum(run.steps for run in sweep.results[trial.number])),
        reason=trial.reason,
        started=trial.started,
        ended=trial.ended,
    )


def _row_at_work(number: int, sweep: Sweep) -> TrialRow:
    results = sweep.results[number]
    scores = {run.seed: run.metrics[run.metric.name].value for run in results}
    return TrialRow(
        number=number,
        state=AT_WORK,
        values=results[0].differences if results else None,
        mean=None,
        sd=None,
        scores={seed: None if math.isnan(value) else value for seed, value in scores.items()},
        steps=sum(run.steps for run in results),
        reason="",
        started=None,
        ended=None,
    )


def _warnings(runs: tuple[Result, ...]) -> Iterable[str]:
    yield from mixed_origins(runs)
    for fact, values in (
        ("data", distinct(run.data.sha256[:12] for run in runs)),
        ("measures", distinct(run.metrics[run.metric.name].signature for run in runs)),
    ):
        if len(values) > 1:
            yield (
                f"The runs are of different {fact} ({', '.join(values)}): their scores are no "
                "measure of which setting is better."
            )
