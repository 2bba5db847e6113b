"""Two variants against each other in full: every test that their runs allow, told apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import RESULT
from mocha_lightning.report.cautions import warnings
from mocha_lightning.report.footnotes import footnotes
from mocha_lightning.report.formats import decimal, interval, p_statement, percent
from mocha_lightning.report.names import run_names
from mocha_lightning.report.precision import decimals
from mocha_lightning.report.results import MetricChoice, Result, Runs
from mocha_lightning.report.signatures import decoded_apart
from mocha_lightning.report.statistics import (
    CONFIDENCE,
    Comparison,
    Mode,
    PairedComparison,
    compare,
    compare_paired,
    compare_summaries,
)
from mocha_lightning.report.verdict import no_verdict, verdict
from mocha_lightning.report.written import runs_behind

SUGGESTIONS = 4
"""Names that are offered for one that is not there."""


class Figure(NamedTuple):
    """A line of the table: a name, a figure, and what the figure is."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Duel:
    """Variant a against variant b; what pairs their seeds is None where no two seeds pair."""

    about: str
    """What was measured of which experiment."""
    a: str
    b: str
    mode: Mode
    unpaired: Comparison
    paired: PairedComparison | None
    verdict: str
    cautions: tuple[str, ...] = ()
    """What to know before believing it: runs that are missing, mixed or edited."""


def compare_variants(folder: Path, a: str, b: str, metric: str | None = None) -> Duel:
    """Compare two variants of the experiment in `runs/<experiment>`, or of its report.

    Args:
        folder: its runs, or its report, which has what each run measured.
        a: one variant.
        b: another.
        metric: a metric that all of their runs have; ``test/`` may be left out. None is the
            experiment's.

    Raises:
        UserError: the runs cannot be trusted or compared; there is no such variant or metric.
    """
    runs = runs_behind(folder)
    first, second = (_runs_of(runs, name, folder) for name in (a, b))
    if a == b:
        raise UserError(f"{a} against itself: name two variants")
    chosen = runs.expectation.metric
    if metric is not None:
        chosen = _metric(metric, (*first, *second), folder, chosen)
        first, second = (
            tuple(replace(run, metric=chosen) for run in each) for each in (first, second)
        )
    refusal = no_verdict(first, second, a, b)
    if refusal is not None:
        raise UserError(f"{folder}: {refusal}")
    values = [
        {run.seed: run.metrics[chosen.name].value for run in each} for each in (first, second)
    ]
    unpaired = compare(list(values[0].values()), list(values[1].values()))
    paired = compare_paired(*values) if values[0].keys() & values[1].keys() else None
    sentence = verdict(unpaired, a, b, chosen.mode, _digits(unpaired), in_points=chosen.in_per_cent)
    apart = decoded_apart(first[0], second[0])
    unit = ", in per cent" if chosen.in_per_cent else ""
    better = "lower" if chosen.mode == "min" else "higher"
    return Duel(
        about=f"{runs.experiment}: {chosen.name}{unit}; {better} is better. Measured as: "
        f"{first[0].metrics[chosen.name].signature}",
        a=a,
        b=b,
        mode=chosen.mode,
        unpaired=unpaired,
        paired=paired,
        verdict=f"{sentence}; {apart}" if apart else sentence,
        cautions=tuple(_cautions(runs, a, b)),
    )


def compare_printed(
    first: tuple[float, float, int], second: tuple[float, float, int], mode: Mode
) -> Duel:
    """Compare what papers print: mean, standard deviation and number of runs of each.

    Raises:
        UserError: a figure cannot be one.
    """
    try:
        found = compare_summaries(*first, *second)
    except ValueError as error:
        raise UserError(f"--from-summary: {error}") from error
    better = "lower" if mode == "min" else "higher"
    names = ("the first", "the second")
    return Duel(
        about=f"Printed means and standard deviations; {better} is better (--mode).",
        a=names[0],
        b=names[1],
        mode=mode,
        unpaired=found,
        paired=None,
        verdict=verdict(found, *names, mode, _digits(found)),
    )


def figures(duel: Duel) -> Iterator[Figure]:
    """The table of a comparison: unpaired as in the paper, then seed by seed."""
    found, digits = duel.unpaired, _digits(duel.unpaired)
    level = percent(CONFIDENCE, 0)
    yield Figure("runs", f"{found.n_a}, {found.n_b}", f"of {duel.a} and of {duel.b}")
    means = (decimal(found.mean_a, digits), decimal(found.mean_b, digits))
    yield Figure("means", ", ".join(means), "over the runs of each")
    yield Figure("difference", decimal(found.difference, digits, True), f"{duel.a} - {duel.b}")
    if found.probability_above is not None:
        above = found.probability_above
        better = above if duel.mode == "max" else 1 - above
        yield Figure(
            "chance of better", percent(better, 0), f"that a run of {duel.a} beats one of {duel.b}"
        )
    if found.student_p is not None and found.welch_p is not None:
        yield Figure(
            f"{level} interval",
            interval(found.interval, digits, True),
            "of the difference, Welch's",
        )
        yield Figure("Student's t", _test(found.student_t, found.student_p), "the paper's test")
        yield Figure("Welch's t", _test(found.welch_t, found.welch_p), "spreads may differ")
        yield Figure(
            "Hedges' g",
            f"{decimal(found.hedges_g, 2, True)} ({interval(found.hedges_g_interval, 2, True)})",
            f"difference in standard deviations, and its {level} interval",
        )
        yield Figure(
            "detectable",
            decimal(found.detectable, digits),
            "true difference that so many such runs find in 80 % of repetitions",
        )
    if found.permutation_p is not None:
        yield Figure("permutation", p_statement(found.permutation_p), "no distribution is assumed")
    paired = duel.paired
    if paired is not None and paired.p is not None and paired.permutation_p is not None:
        yield Figure(
            f"{level} interval, paired",
            interval(paired.interval, digits, True),
            f"of the difference, over {paired.n} seeds that both have",
        )
        yield Figure("paired t", _test(paired.t, paired.p), "runs of one seed against each other")
        yield Figure(
            "paired permutation",
            p_statement(paired.permutation_p),
            "the two of a seed exchanged",
        )
        yield Figure(
            "correlation",
            decimal(paired.correlation),
            "of the two over seeds; pairing helps where it is well above 0",
        )


def print_duel(duel: Duel, console: Console) -> None:
    """Print the comparison on a terminal."""
    for caution in duel.cautions:
        console.print(Text(caution, style="yellow"))
    console.print(Text(duel.about))
    table = Table(box=box.SIMPLE_HEAD, show_header=False, show_edge=False, pad_edge=False)
    for figure in figures(duel):
        table.add_row(*map(Text, figure))
    console.print("", table, "", sep="\n")
    console.print(Text(duel.verdict, style="bold"))


def _cautions(runs: Runs, a: str, b: str) -> Iterator[str]:
    """What a report says of the two variants' runs."""
    missing = tuple(run for run in runs.missing if run.variant in (a, b))
    pairs = len(runs.expectation.comparisons)
    if pairs > 1:
        yield (
            "These two alone: no p value and no detectable difference here is corrected for the "
            f"{pairs} comparisons of the experiment, as those of its report are."
        )
    if missing:
        yield f"INCOMPLETE: {run_names(missing)} missing."
    two = replace(
        runs,
        results={name: runs.results[name] for name in (a, b)},
        expectation=replace(
            runs.expectation, variants={name: runs.expectation.variants[name] for name in (a, b)}
        ),
        unexpected=(),
    )
    yield from (f"Warning: {each}" for each in warnings(two))
    yield from (f"! {each}" for each in footnotes(two))


def _runs_of(runs: Runs, variant: str, folder: Path) -> tuple[Result, ...]:
    if variant not in runs.results:
        raise UserError(
            f"{folder}: no variant is named {variant!r}: name two of {', '.join(runs.results)}"
        )
    return runs.results[variant]


def _metric(
    name: str, runs: Sequence[Result], folder: Path, judged_by: MetricChoice
) -> MetricChoice:
    known = [key for key in runs[0].metrics if all(key in run.metrics for run in runs)]
    full = name if "/" in name else f"test/{name}"
    found = name if name in known else full
    if found not in known:
        by_lower = {key.lower(): key for key in known}
        closest = get_close_matches(full.lower(), by_lower, SUGGESTIONS, cutoff=0)
        raise UserError(
            f"{folder}: no metric {name!r} in every run: name one such as "
            f"{', '.join(by_lower[each] for each in closest)} (all are in a run's {RESULT})"
        )
    if _alike(found, judged_by.name):
        return MetricChoice(found, judged_by.mode)
    return MetricChoice(found, "max" if _is_better_high(found) else "min")


def _alike(metric: str, other: str) -> bool:
    """Whether it is the other metric, on whichever split and however decoded."""
    one, two = (name.rpartition("/")[2] for name in (metric, other))
    return one == two or one.startswith(f"{two}_")


def _is_better_high(metric: str) -> bool:
    return metric.rpartition("/")[2].startswith(("rouge", "exact_match"))


def _digits(found: Comparison) -> int:
    low, high = found.interval or (0.0, 2 * found.difference)
    return decimals([(high - low) / 2], [found.mean_a, found.mean_b])


def _test(statistic: float | None, p: float) -> str:
    return f"{decimal(statistic, 2, True)}, {p_statement(p)}"
