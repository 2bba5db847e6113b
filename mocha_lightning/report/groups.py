"""Scores of parts of the test set: documents in one order or another, by reordering distance.

The corpus says of each document which part it belongs to, by ``order`` and ``distance`` in the
details of its examples (:class:`mocha_lightning.data.KeyFacts` does).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from mocha_lightning.report.measures import EXACT_MATCH, USUAL, scores_of
from mocha_lightning.report.predictions import Prediction

REVERSED = "reversed"
"""The order whose distances stand in no relation to those of other documents."""


@dataclass(frozen=True)
class RunGroups:
    """One run's scores of each part; both empty where the corpus parts nothing.

    Attributes:
        orders: every measure, by order.
        distances: exact match, by distance; documents in reversed order left out.
    """

    orders: Mapping[str, Mapping[str, float]]
    distances: Mapping[int, float]


@dataclass(frozen=True)
class Sizes:
    """Documents of the test set, by order and by distance as in :class:`RunGroups`."""

    orders: Mapping[str, int]
    distances: Mapping[int, int]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """One figure over the runs of a variant. NaN: a run diverged. None: of one run there is none.

    Attributes:
        mean: over the runs.
        sd: their standard deviation, with N - 1.
        values: by seed.
    """

    mean: float
    sd: float | None
    values: Mapping[int, float]


def sizes_of(predictions: Iterable[Prediction]) -> Sizes:
    """Count the documents of each part."""
    orders, distances = _parts(predictions)
    return Sizes(
        {order: len(part) for order, part in sorted(orders.items())},
        {distance: len(part) for distance, part in sorted(distances.items())},
    )


def groups_of(predictions: Iterable[Prediction]) -> RunGroups:
    """Score each part of what a run made."""
    orders, distances = _parts(predictions)
    return RunGroups(
        {order: _scores(part, USUAL) for order, part in orders.items()},
        {
            distance: _scores(part, (EXACT_MATCH,))[EXACT_MATCH]
            for distance, part in distances.items()
        },
    )


def spread(values: Mapping[int, float]) -> Spread:
    """Sum up a figure of several runs, by seed."""
    figures = list(values.values())
    mean = fmean(figures)
    if math.isnan(mean):
        return Spread(mean=mean, sd=mean, values=values)
    return Spread(mean=mean, sd=stdev(figures) if len(figures) > 1 else None, values=values)


def _parts(
    predictions: Iterable[Prediction],
) -> tuple[dict[str, list[Prediction]], dict[int, list[Prediction]]]:
    orders: dict[str, list[Prediction]] = {}
    distances: dict[int, list[Prediction]] = {}
    for prediction in predictions:
        if prediction.order is not None:
            orders.setdefault(prediction.order, []).append(prediction)
        if prediction.distance is not None and prediction.order != REVERSED:
            distances.setdefault(prediction.distance, []).append(prediction)
    return orders, distances


def _scores(part: Sequence[Prediction], measures: Sequence[str]) -> dict[str, float]:
    references, hypotheses = (
        [getattr(p, key) for p in part] for key in ("reference", "hypothesis")
    )
    return scores_of(references, hypotheses, measures)
