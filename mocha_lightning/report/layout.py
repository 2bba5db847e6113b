"""The tables and sentences of a report as text, the same for the terminal and for Markdown."""

import json

import pandas as pd

from mocha_lightning.experiment.shown import shown
from mocha_lightning.report.cautions import made_by
from mocha_lightning.report.content import ComparisonRow, Report, VariantRow
from mocha_lightning.report.formats import ABSENT, decimal, interval, p_value, percent
from mocha_lightning.report.names import run_names

HOLM = "p, Holm's"
_COMPARISON_FIGURES = (
    "difference",
    "95 % interval, Welch's",
    "Student's t (p)",
    "Welch's t (p)",
    HOLM,
    "N",
)

EXPECTED = "mean, expected"
LATENCIES = ("latency (90 %)", "word shown (90 %)")
SELECTING = ("undecided", "off the end")
"""What only a monotonic head has figures of."""
COST = (*LATENCIES, "best step", "parameters", "seconds")
"""What a variant costs, in time and in size."""
_OPTIONAL = ("SD", EXPECTED, *SELECTING, "length cap", *LATENCIES)


def variant_table(report: Report) -> pd.DataFrame:
    """Lay out a row of text for each variant, without the columns that have no figure."""
    table = pd.DataFrame([_variant_cells(row, report.digits) for row in report.variants])
    unknown = [column for column in _OPTIONAL if (table[column] == ABSENT).all()]
    if not report.decoding:
        unknown.append(EXPECTED)
    return table.drop(columns=unknown)


def comparison_table(report: Report) -> pd.DataFrame:
    """Lay out a row of text for each comparison; it has no rows where none was asked for."""
    table = pd.DataFrame([_comparison_cells(row, report.digits) for row in report.comparisons])
    return table if _tests(report) > 1 else table.drop(columns=HOLM, errors="ignore")


def published_table(report: Report) -> pd.DataFrame:
    """Lay out a row of text for each published result; no rows where there is none."""
    if report.published is None:
        return pd.DataFrame()
    rows = report.published.rows
    table = pd.DataFrame([{"published": name, **rows[name]} for name in rows], dtype=object)
    return table.where(table.notna(), ABSENT).astype(str)


def published(report: Report) -> str | None:
    """Say whose the published figures are; None where there are none."""
    if report.published is None:
        return None
    return (
        f"{report.published.source}, on {report.published.data}: figures of that publication, and "
        "of no run of this report."
    )


def caption(report: Report) -> str:
    """Say what the table shows: experiment, metric and its signature, data."""
    return (
        f"{report.experiment}: {measured(report)}; {better(report)} is better. "
        f"Measured as: {' | '.join(report.signatures)}. Data: {' | '.join(report.data)}."
    )


def measured(report: Report) -> str:
    """Name what the table is of: `test/wer under hard decoding, in per cent`."""
    decoding = " under hard decoding" if report.decoding else ""
    unit = ", in per cent" if report.metric.in_per_cent else ""
    return f"{report.metric.name}{decoding}{unit}"


def better(report: Report) -> str:
    """Say which values are better: `lower` or `higher`."""
    return "lower" if report.metric.mode == "min" else "higher"


def training(report: Report) -> str:
    """Say how long variants were trained."""
    lengths = {
        (run.config["trainer"]["max_steps"], run.config["data"]["init_args"].get("batch_size"))
        for run in report.runs
    }
    return " | ".join(
        f"Trained for {steps:,} steps" + (f" of {batch}." if batch else ".")
        for steps, batch in sorted(lengths, key=str)
    )


def variant_lines(report: Report) -> list[str]:
    """Say what each variant changes in the base that all share."""
    found = variant_differences(report)
    return [f"{name}: {'; '.join(differences)}" for name, differences in found.items()]


def variant_differences(report: Report) -> dict[str, list[str]]:
    """Give, by variant, each dotted path that it sets and the value."""
    found = {run.variant: run.differences for run in report.runs}
    return {
        name: [f"{key}: {shown(value)}" for key, value in differences.items()]
        for name, differences in found.items()
    }


def corrected(report: Report) -> str | None:
    """Say which p values bear with the number of tests; None where there is one at most."""
    tests = _tests(report)
    if tests < 2:
        return None
    return (
        f"{tests} comparisons are tested: {HOLM} is Student's corrected for that number, and the "
        "sentences go by it; the others are not corrected."
    )


def _tests(report: Report) -> int:
    return sum(row.holm_p is not None for row in report.comparisons)


def uncompared(report: Report) -> str | None:
    """Say that there is no test because none was asked for."""
    if report.comparisons or len(report.variants) < 2:
        return None
    return "Nothing is compared: the experiment's `comparisons` name no pair of variants."


def incomplete(report: Report) -> str | None:
    """Say which runs are not there yet; None where all are."""
    if not report.missing:
        return None
    return (
        f"INCOMPLETE: {len(report.missing)} of {report.expected_runs} runs are missing: "
        f"{run_names(report.missing)}."
    )


def run_lines(report: Report) -> list[str]:
    """Give the metric of every run, a line for each variant."""
    found: dict[str, list[str]] = {}
    for run in report.runs:
        value = decimal(run.metrics[report.metric.name].value, report.digits)
        found.setdefault(run.variant, []).append(f"{value} (seed {run.seed})")
    return [f"{variant}: {', '.join(values)}" for variant, values in found.items()]


def departure_lines(report: Report) -> list[str]:
    """Say what differs from the paper, a line for each argument, then the experiment's notes."""
    everyone = tuple(row.variant for row in report.variants if row.n)
    lines = []
    for departure, variants in report.departures:
        line = f"{departure.key}: {_value(departure.here)} (paper: {_value(departure.paper)})"
        lines.append(line if variants == everyone else f"{line}, in {', '.join(variants)}")
    return [*lines, *report.notes] or ["Nothing that an argument of the suite could express."]


def origin(report: Report) -> str:
    """Say, in one line, how to make the table again: command, commit, data."""
    return f"Reproduce: {made_by(report.runs)}"


def _variant_cells(row: VariantRow, digits: int) -> dict[str, str]:
    parameters = decimal(row.parameters, 0)
    if row.more_parameters:
        parameters += f" ({percent(row.more_parameters, sign=True)})"
    return {
        "variant": f"{row.variant} !" if row.marked else row.variant,
        "N": str(row.n),
        "best": decimal(row.best, digits),
        "mean": decimal(row.mean, digits),
        "SD": decimal(row.sd, digits),
        EXPECTED: decimal(row.expected, digits),
        "undecided": percent(row.undecided),
        "off the end": percent(row.off_the_end),
        "length cap": percent(row.length_cap),
        **dict(zip(LATENCIES, _latency_cells(row), strict=True)),
        "best step": decimal(row.best_step, 0),
        "parameters": parameters,
        "seconds": decimal(row.seconds, 0),
    }


def _comparison_cells(row: ComparisonRow, digits: int) -> dict[str, str]:
    name, result = f"{row.a} - {row.b}", row.comparison
    if result is None:
        return {"comparison": name, **dict.fromkeys(_COMPARISON_FIGURES, ABSENT)}
    figures = (
        decimal(result.difference, digits, sign=True),
        interval(result.interval, digits, sign=True),
        _test_cell(result.student_t, result.student_p),
        _test_cell(result.welch_t, result.welch_p),
        p_value(row.holm_p),
        f"{result.n_a}, {result.n_b}",
    )
    return {"comparison": name, **dict(zip(_COMPARISON_FIGURES, figures, strict=True))}


def _latency_cells(row: VariantRow) -> list[str]:
    pairs = ((row.latency, row.latency_p90), (row.shown, row.shown_p90))
    return [
        ABSENT if median is None else f"{decimal(median, 0)} ({decimal(p90, 0)})"
        for median, p90 in pairs
    ]


def _test_cell(t: float | None, p: float | None) -> str:
    return ABSENT if t is None else f"{decimal(t)} ({p_value(p)})"


def _value(value: object) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)
