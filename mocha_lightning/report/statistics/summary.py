"""One variant's runs in the paper's three figures: best, mean and standard deviation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float64
from numpy import ndarray
from scipy import stats

from mocha_lightning.report.statistics.levels import CONFIDENCE

Mode = Literal["min", "max"]

ROUNDING = 1e-12
"""A standard deviation below this share of the values is rounding, not variation between runs."""
SMALLEST = 1e-60
"""One below this is none either: its fourth power, which degrees of freedom take, is 0."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The paper's three figures for one variant, and the number of runs behind them."""

    n: int
    best: float
    mean: float
    sd: float | None
    """Standard deviation over runs with N - 1 below the sum; None for a single run."""
    interval: tuple[float, float] | None
    """95 % interval of the mean, Student's; None for a single run, and where none varies."""


def summarise(values: Sequence[float], mode: Mode) -> Summary:
    """Return N, best, mean and standard deviation of one variant's values.

    Args:
        values: one value for each run.
        mode: "min" where lower is better, "max" where higher is.

    Raises:
        ValueError: there is no value, or one is NaN or infinite.
    """
    array = checked(values)
    best = array.min() if mode == "min" else array.max()
    mean, sd = float(array.mean()), deviation(array)
    interval = None
    if sd:
        low, high = stats.t.interval(
            CONFIDENCE, array.size - 1, loc=mean, scale=sd / array.size**0.5
        )
        interval = (float(low), float(high))
    return Summary(n=array.size, best=float(best), mean=mean, sd=sd, interval=interval)


def checked(values: Sequence[float] | ndarray) -> Float64[ndarray, " runs"]:
    """The values as an array.

    Raises:
        ValueError: there is no value, or one is NaN or infinite. Leaving such a run out would
            flatter the variant that diverged, so that is never done here.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"need one value for each run, in a flat sequence; got {values!r}")
    if not np.isfinite(array).all():
        raise ValueError(f"a run without a finite value cannot be compared: {array.tolist()}")
    return array


def deviation(array: Float64[ndarray, " runs"]) -> float | None:
    """Standard deviation with N - 1; 0 where values differ by rounding alone; None for N = 1."""
    if array.size == 1:
        return None
    found = float(array.std(ddof=1))
    return 0.0 if found <= max(SMALLEST, ROUNDING * float(np.abs(array).max())) else found
