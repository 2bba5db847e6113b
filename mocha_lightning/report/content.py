"""All that a report says, as numbers: a row for each variant, a row for each comparison."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from mocha_lightning.experiment.published import Published
from mocha_lightning.report import cautions
from mocha_lightning.report.corpus import data_label
from mocha_lightning.report.footnotes import doubts, footnotes
from mocha_lightning.report.precision import decimals
from mocha_lightning.report.results import Departure, MetricChoice, Result, RunName, Runs
from mocha_lightning.report.signatures import decoded_apart
from mocha_lightning.report.statistics import (
    Comparison,
    compare,
    detectable_among,
    holm,
    summarise,
)
from mocha_lightning.report.texts import Texts
from mocha_lightning.report.verdict import Correction, no_verdict, verdict


@dataclass(frozen=True, kw_only=True)
class VariantRow:
    """One variant over its finished runs. NaN: a run diverged. None: there is no such figure."""

    variant: str
    marked: bool
    """A footnote tells of a run that needs a second look."""
    n: int
    best: float | None
    mean: float | None
    sd: float | None
    mean_low: float | None
    """Lower end of the mean's 95 % interval, Student's over the runs."""
    mean_high: float | None
    expected: float | None
    """Mean of the metric under expected attention."""
    undecided: float | None
    off_the_end: float | None
    length_cap: float | None
    latency: float | None
    """Median, in milliseconds, of what a symbol comes after its word's end."""
    latency_p90: float | None
    shown: float | None
    """The same until a word is known whole, as when it is shown."""
    shown_p90: float | None
    best_step: float | None
    """Mean over the runs that came to their end, as is `seconds`."""
    parameters: int | None
    more_parameters: float | None
    """Share of parameters beyond the first variant's: 0.02 is 2 % more."""
    seconds: float | None


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """Two variants against each other; `comparison` is None where `verdict` says why."""

    a: str
    b: str
    comparison: Comparison | None
    holm_p: float | None
    """Student's p, corrected by Holm's method for all comparisons of the experiment."""
    holm_detectable: float | None
    """The true difference that this p finds in 80 % of repetitions or more; None as that is."""
    verdict: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that a report of one experiment says, before it is put on a page."""

    schema: int = 1
    experiment: str
    metric: MetricChoice
    decoding: bool
    """The metric is one of decoding: hard, since some run has it under expected attention too."""
    digits: int
    """Decimals of the metric, of its spread and of its differences."""
    signatures: tuple[str, ...]
    data: tuple[str, ...]
    variants: tuple[VariantRow, ...]
    comparisons: tuple[ComparisonRow, ...]
    missing: tuple[RunName, ...]
    expected_runs: int
    footnotes: tuple[str, ...]
    warnings: tuple[str, ...]
    departures: tuple[tuple[Departure, tuple[str, ...]], ...]
    """What differs from the paper, each with the variants it holds for."""
    notes: tuple[str, ...]
    published: Published | None
    commands: tuple[str, ...]
    commits: tuple[str, ...]
    data_sha256: tuple[str, ...]
    runs: tuple[Result, ...]
    texts: Texts
    """What the runs' predictions say beside their scores."""


def build_report(runs: Runs, texts: Texts | None = None) -> Report:
    """Turn finished runs into the rows, sentences and cautions of a report.

    Args:
        runs: finished or not, one at least.
        texts: what their predictions say, if anything.
    """
    texts = texts or Texts()
    everything = tuple(runs)
    metric = runs.expectation.metric
    first_variant = next(iter(runs.results.values()))
    baseline = first_variant[0].parameters if first_variant else None
    variants = tuple(
        _variant_row(name, results, metric, baseline) for name, results in runs.results.items()
    )
    compared = [(a, b, _compared(a, b, runs)) for a, b in runs.expectation.comparisons]
    corrections = _corrections([found for _, _, found in compared])
    digits = _digits(variants, [found for _, _, found in compared])
    return Report(
        experiment=runs.experiment,
        metric=metric,
        decoding=any(metric.expected in run.metrics for run in everything),
        digits=digits,
        signatures=distinct(run.metrics[metric.name].signature for run in everything),
        data=distinct(data_label(run.data) for run in everything),
        variants=variants,
        comparisons=tuple(
            _comparison_row(a, b, found, correction, runs, digits)
            for (a, b, found), correction in zip(compared, corrections, strict=True)
        ),
        missing=runs.missing,
        expected_runs=len(everything) + len(runs.missing),
        footnotes=tuple(footnotes(everything)),
        warnings=(*cautions.warnings(runs), *texts.warnings),
        departures=cautions.departures(runs),
        published=runs.expectation.published,
        notes=distinct(note for run in everything for note in run.notes),
        commands=distinct(run.provenance.command for run in everything),
        commits=distinct(cautions.commit_label(run.provenance) for run in everything),
        data_sha256=distinct(run.data.sha256 for run in everything),
        runs=everything,
        texts=texts,
    )


def _variant_row(
    variant: str, results: Sequence[Result], metric: MetricChoice, baseline: int | None
) -> VariantRow:
    values = [run.metrics[metric.name].value for run in results]
    broken = any(not math.isfinite(value) for value in values)
    summary = summarise(values, metric.mode) if values and not broken else None
    no_figure = math.nan if broken else None
    low, high = (summary.interval if summary else None) or (no_figure, no_figure)
    whole = [run for run in results if not run.diverged]
    parameters = results[0].parameters if results else None
    return VariantRow(
        variant=variant,
        marked=any(any(doubts(run)) for run in results),
        n=len(results),
        best=summary.best if summary else no_figure,
        mean=summary.mean if summary else no_figure,
        sd=summary.sd if summary else no_figure,
        mean_low=low,
        mean_high=high,
        expected=_mean_beside(results, metric.expected),
        undecided=_mean_beside(results, metric.beside("undecided")),
        off_the_end=_mean_beside(results, metric.beside("off_the_end")),
        length_cap=_mean_beside(results, metric.beside("length_cap")),
        latency=_mean_beside(results, metric.beside("latency_median")),
        latency_p90=_mean_beside(results, metric.beside("latency_p90")),
        shown=_mean_beside(results, metric.beside("shown_latency_median")),
        shown_p90=_mean_beside(results, metric.beside("shown_latency_p90")),
        best_step=fmean(run.best_step for run in whole) if whole else no_figure,
        parameters=parameters,
        more_parameters=parameters / baseline - 1 if parameters and baseline else None,
        seconds=fmean(run.provenance.seconds for run in whole) if whole else no_figure,
    )


def _mean_beside(results: Sequence[Result], name: str) -> float | None:
    """Mean of a metric that not every mechanism has.

    None where no run of the variant has it, or whole runs have it only as NaN; NaN where just
    some do, and where runs ended early.
    """
    having = [run for run in results if name in run.metrics]
    values = [run.metrics[name].value for run in having]
    known = any(run.diverged or math.isfinite(run.metrics[name].value) for run in having)
    return fmean(values) if known else None


def _compared(a: str, b: str, runs: Runs) -> Comparison | str:
    """Compare two variants, or say why they cannot be compared."""
    refusal = no_verdict(runs.results[a], runs.results[b], a, b)
    if refusal is not None:
        return refusal
    name = runs.expectation.metric.name
    return compare(
        [run.metrics[name].value for run in runs.results[a]],
        [run.metrics[name].value for run in runs.results[b]],
    )


def _comparison_row(
    a: str, b: str, found: Comparison | str, correction: Correction | None, runs: Runs, digits: int
) -> ComparisonRow:
    if isinstance(found, str):
        return ComparisonRow(
            a=a, b=b, comparison=None, holm_p=None, holm_detectable=None, verdict=found
        )
    metric = runs.expectation.metric
    among = correction if correction is not None and correction.tests > 1 else None
    sentence = verdict(found, a, b, metric.mode, digits, among, metric.in_per_cent)
    apart = decoded_apart(runs.results[a][0], runs.results[b][0])
    return ComparisonRow(
        a=a,
        b=b,
        comparison=found,
        holm_p=correction.p if correction else None,
        holm_detectable=correction.detectable if correction else None,
        verdict=f"{sentence}; {apart}" if apart else sentence,
    )


def _corrections(compared: Sequence[Comparison | str]) -> list[Correction | None]:
    """Correct those that have a test for their number; one alone stays as it is."""
    tests = [found if isinstance(found, Comparison) else None for found in compared]
    adjusted = holm([found.student_p if found else None for found in tests])
    number = sum(p is not None for p in adjusted)
    corrections: list[Correction | None] = []
    for found, p in zip(tests, adjusted, strict=True):
        detectable = detectable_among(found, number) if found else None
        corrections.append(
            None if p is None or detectable is None else Correction(number, p, detectable)
        )
    return corrections


def _digits(variants: Sequence[VariantRow], compared: Sequence[Comparison | str]) -> int:
    deviations = [row.sd for row in variants if row.sd is not None]
    differences = [found.difference for found in compared if isinstance(found, Comparison)]
    means = [row.mean for row in variants if row.mean is not None]
    return decimals([*deviations, *differences], means)


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each of them once, in order."""
    return tuple(dict.fromkeys(texts))
