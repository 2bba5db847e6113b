"""The page of a measurement, `table.md`."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from mocha_lightning.report.formats import decimal
from mocha_lightning.speed.busiest import DRAWS
from mocha_lightning.speed.mechanisms import SOFT
from mocha_lightning.speed.report import SpeedReport
from mocha_lightning.speed.summary import Exponent, Point, Variant

TITLES = {
    "recomputed": "Keys recomputed at every output",
    "projected": "Keys projected once a sequence",
}
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
DIGITS = 3
"""Significant digits of a time and of a speed-up."""
MUCH = 0.5
"""A standard deviation of a greater share of its mean says that the machine was busy."""

LEGEND = {
    "T = U": "entries of the memory, and outputs.",
    "soft, monotonic, mocha_w2, ...": (
        f"milliseconds for all outputs of one sequence, mean {PLUS_MINUS} standard deviation "
        "(N - 1) over the trials; in brackets how many times as fast as soft attention, mean by "
        "mean. monotonic is hard monotonic attention, which is MoChA with w = 1 and computes one "
        "energy an entry; mocha_w2 is MoChA with w = 2."
    ),
    "stopped": (
        "outputs at which the monotonic head stopped, of U. At the others it had passed the end "
        "of the memory, and the context was zero at no cost."
    ),
    "energies": (
        "how many the monotonic head computed, of T + U, which is the most there can be. r, and "
        f"the states among {DRAWS} random draws, are those that make them the most: about one in "
        "two inspected entries then stops the scan, and it comes to the end with about the last "
        "output."
    ),
    "exponent": (
        f"slope of log(mean time) over log(T) by least squares {PLUS_MINUS} its standard error, "
        "which tells how far from one power of T the times of that range are."
    ),
}


def markdown(report: SpeedReport) -> str:
    """Put a measurement on a page: what was timed, tables for each variant, what words mean."""
    parts = [
        "# Speed of attention alone",
        _caption(report),
        *_warning(report),
        *(part for variant in report.variants for part in _section(variant)),
        "## Words",
        "\n".join(f"- **{word}**: {meaning}" for word, meaning in LEGEND.items()),
        _origin(report),
    ]
    return "\n\n".join(parts) + "\n"


def time_cell(point: Point) -> str:
    """Write a time with its deviation and its speed-up."""
    digits = _digits(point.mean)
    text = decimal(point.mean, digits)
    if point.sd is not None:
        text += f" {PLUS_MINUS} {decimal(point.sd, digits)}"
    if point.mechanism != SOFT:
        text += f" ({decimal(point.speed_up, _digits(point.speed_up))}x)"
    return text


def _caption(report: SpeedReport) -> str:
    settings, origin = report.settings, report.provenance
    return (
        f"Attention and nothing else, compiled, in float32, on {origin['threads']} thread of "
        f"{origin['hardware']}: {settings.trials} trials, each of which runs all mechanisms in an "
        f"order that rotates; dim(h) = {settings.memory_dim}, dim(s) = {settings.query_dim}, "
        f"d = {settings.energy_dim}, random states and weights (the paper's Appendix B)."
    )


def _warning(report: SpeedReport) -> Iterator[str]:
    noisy = sum(
        point.sd is not None and point.sd > MUCH * point.mean
        for variant in report.variants
        for row in variant.rows
        for point in row.points
    )
    if noisy:
        yield (
            f"**Warning:** the standard deviation of {noisy} of the times is more than half their "
            "mean: the machine was busy with other things. Measure again when it is not."
        )


def _section(variant: Variant) -> Iterator[str]:
    yield f"## {TITLES[variant.name]}"
    yield _table(
        {
            "T = U": f"{row.length:,}",
            **{point.mechanism: time_cell(point) for point in row.points},
            "stopped": f"{row.scan.stopped:,} of {row.length:,}",
            "energies": f"{row.scan.energies:,} of {2 * row.length:,}",
        }
        for row in variant.rows
    )
    if variant.exponents:
        yield _table(_exponent_rows(variant.exponents))


def _exponent_rows(exponents: Sequence[Exponent]) -> Iterator[dict[str, str]]:
    for mechanism in dict.fromkeys(each.mechanism for each in exponents):
        yield {
            "exponent": mechanism,
            **{
                f"T = {', '.join(f'{length:,}' for length in each.lengths)}": (
                    f"{decimal(each.value)} {PLUS_MINUS} {decimal(each.standard_error)}"
                )
                for each in exponents
                if each.mechanism == mechanism
            },
        }


def _table(rows: Iterable[dict[str, str]]) -> str:
    frame = pd.DataFrame(rows)
    align = ["right"] * frame.shape[1]
    return frame.to_markdown(index=False, colalign=align, disable_numparse=True)


def _origin(report: SpeedReport) -> str:
    origin = report.provenance
    commit = origin["commit"][:12] if origin["commit"] else "unknown"
    changed = " with uncommitted changes" if origin["dirty"] else ""
    versions = ", ".join(f"{name} {number}" for name, number in origin["versions"].items())
    return (
        f"Reproduce: {origin['command']} (commit {commit}{changed}; seed {report.settings.seed}; "
        f"{versions}; {', '.join(_libraries(origin['libraries']))})"
    )


def _libraries(libraries: Sequence[dict[str, Any]]) -> Iterator[str]:
    for library in libraries:
        if library["user_api"] == "blas":
            yield " ".join(
                str(library[key]) for key in ("prefix", "version", "architecture") if key in library
            )


def _digits(value: float) -> int:
    return max(0, DIGITS - 1 - math.floor(math.log10(value)))
