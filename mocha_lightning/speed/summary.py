"""Means, speed-ups and exponents of the times measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
from scipy.stats import linregress

from mocha_lightning.speed.measure import Scan, Timed
from mocha_lightning.speed.mechanisms import SOFT
from mocha_lightning.speed.settings import PAPER_LENGTHS

FEWEST_POINTS = 3
"""A straight line through two points has no error."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One mechanism at one length.

    Attributes:
        mechanism: its name.
        mean: milliseconds.
        sd: standard deviation with N - 1; None of a single trial.
        speed_up: soft attention's mean over this one.
    """

    mechanism: str
    mean: float
    sd: float | None
    speed_up: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """All mechanisms at one length T = U."""

    length: int
    points: tuple[Point, ...]
    scan: Scan
    rows_at_once: int


@dataclass(frozen=True, kw_only=True)
class Exponent:
    """The slope of log(mean time) over log(T), by least squares.

    Attributes:
        mechanism: its name.
        lengths: each T of the fit.
        value: the slope.
        standard_error: of the slope, from how far the points lie off the line.
    """

    mechanism: str
    lengths: tuple[int, ...]
    value: float
    standard_error: float


@dataclass(frozen=True, kw_only=True)
class Variant:
    """What one variant's table holds."""

    name: str
    rows: tuple[Row, ...]
    exponents: tuple[Exponent, ...]


def summarise(timed: Sequence[Timed]) -> tuple[Variant, ...]:
    """Summarise each variant, in the order measured."""
    names = dict.fromkeys(each.variant for each in timed)
    return tuple(_variant(name, [each for each in timed if each.variant == name]) for name in names)


def row_of(timed: Timed) -> Row:
    """Summarise one variant at one length."""
    means = {name: fmean(trials) for name, trials in timed.milliseconds.items()}
    return Row(
        length=timed.length,
        points=tuple(
            Point(
                mechanism=name,
                mean=means[name],
                sd=stdev(trials) if len(trials) > 1 else None,
                speed_up=means[SOFT] / means[name],
            )
            for name, trials in timed.milliseconds.items()
        ),
        scan=timed.scan,
        rows_at_once=timed.rows_at_once,
    )


def _variant(name: str, timed: Sequence[Timed]) -> Variant:
    rows = tuple(sorted(map(row_of, timed), key=lambda row: row.length))
    return Variant(
        name=name,
        rows=rows,
        exponents=tuple(
            _exponent(part, at)
            for at in range(len(rows[0].points))
            for part in _ranges(rows)
            if len(part) >= FEWEST_POINTS
        ),
    )


def _ranges(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The paper's lengths, and those beyond.

    What an output costs at any T is most of the time of short sequences, so that no single power
    of T fits all lengths.
    """
    longest = max(PAPER_LENGTHS)
    return (
        [row for row in rows if row.length <= longest],
        [row for row in rows if row.length >= longest],
    )


def _exponent(rows: Sequence[Row], at: int) -> Exponent:
    lengths = tuple(row.length for row in rows)
    line = linregress(np.log(lengths), np.log([row.points[at].mean for row in rows]))
    return Exponent(
        mechanism=rows[0].points[at].mechanism,
        lengths=lengths,
        value=float(line.slope),
        standard_error=float(line.stderr),
    )
