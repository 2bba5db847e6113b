"""How well the settings of a sweep are told apart: which are as good as the best, as far as seen.

The unit is a setting, not a trial: a sampler may try a setting of few choices twice, and the same
seeds give the same numbers again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mocha_lightning.report.statistics import Summary, summarise
from mocha_lightning.report.sweep.reading import Definition, Setting, Trial
from mocha_lightning.report.sweep.space import Dimension

UNEVEN = 2.0
"""So many times the deviation of the settings that are within, the pooled one is that of others."""


@dataclass(frozen=True, kw_only=True)
class Near:
    """Which settings are within one standard error of the best."""

    standard_error: float
    """Of a setting's mean: the pooled deviation by the root of the number of seeds."""
    pooled_sd: float
    """Within settings, over all complete ones, weighted by their degrees of freedom."""
    own_sd: float
    """The same, of the settings that are within alone."""
    trials: tuple[int, ...]
    """Numbers of those within, from the best on."""
    by_own: int
    """How many would be within if that deviation were in the pooled one's place."""

    @property
    def uneven(self) -> bool:
        """Whether worse settings, which vary more, have made the error so large that it matters."""
        return self.pooled_sd > UNEVEN * self.own_sd and self.by_own < len(self.trials)


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Of a dimension of few values, which have a setting within one standard error of the best."""

    name: str
    path: str
    near: tuple[Any, ...]
    complete: tuple[Any, ...]
    """Those that some complete setting has."""
    never: tuple[Any, ...]
    """The others."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The best of the complete settings, and what is known of the others beside it."""

    best: int
    """The trial's number."""
    summary: Summary
    """Of the best setting's runs."""
    settings: int
    """Complete ones, each counted once."""
    repeated: int
    """Complete trials of a setting that another has."""
    near: Near | None
    """None where there is one setting or one seed alone."""
    shares: tuple[Shares, ...]


def ranked(trials: Sequence[Trial], definition: Definition) -> list[Trial]:
    """The complete trials, the best first; of equals that which was tried first."""
    complete = [trial for trial in trials if trial.state == "complete"]
    return sorted(complete, key=lambda trial: (definition.sign * _value(trial), trial.number))


def ranking(trials: Sequence[Trial], definition: Definition) -> Ranking | None:
    """Find the best setting, and those that cannot be told from it; None where none is complete."""
    complete = ranked(trials, definition)
    if not complete:
        return None
    settings: dict[Setting, Trial] = {}
    for trial in complete:
        settings.setdefault(trial.setting, trial)
    different = list(settings.values())
    near = _near(different, definition)
    return Ranking(
        best=complete[0].number,
        summary=summarise(complete[0].scores, definition.metric.mode),
        settings=len(different),
        repeated=len(complete) - len(different),
        near=near,
        shares=() if near is None else tuple(_shares(different, near, definition.dimensions)),
    )


def pooled_deviation(samples: Sequence[Sequence[float]]) -> float:
    """The standard deviation that several samples share, whatever their means.

    Args:
        samples: of two values or more each.
    """
    variances = [float(np.var(sample, ddof=1)) for sample in samples]
    freedom = [len(sample) - 1 for sample in samples]
    return float(np.sqrt(np.average(variances, weights=freedom)))


def _near(settings: Sequence[Trial], definition: Definition) -> Near | None:
    """None where there is one setting alone, or one run of each: nothing says how runs vary."""
    runs = len(definition.seeds)
    if runs < 2 or len(settings) < 2:
        return None
    samples = [trial.scores for trial in settings]
    pooled = pooled_deviation(samples)
    within = _within(settings, pooled / runs**0.5, definition)
    own = pooled_deviation([trial.scores for trial in within])
    return Near(
        standard_error=pooled / runs**0.5,
        pooled_sd=pooled,
        own_sd=own,
        trials=tuple(trial.number for trial in within),
        by_own=len(_within(settings, own / runs**0.5, definition)),
    )


def _within(settings: Sequence[Trial], error: float, definition: Definition) -> list[Trial]:
    best = _value(settings[0])
    return [trial for trial in settings if definition.sign * (_value(trial) - best) <= error]


def _shares(settings: Sequence[Trial], near: Near, dimensions: Sequence[Dimension]) -> list[Shares]:
    found = []
    for dimension in dimensions:
        if not dimension.values:
            continue
        complete = {repr(trial.values[dimension.path]) for trial in settings}
        within = {
            repr(trial.values[dimension.path]) for trial in settings if trial.number in near.trials
        }
        values = _met(dimension, settings)
        found.append(
            Shares(
                name=dimension.name,
                path=dimension.path,
                near=tuple(value for value in values if repr(value) in within),
                complete=tuple(value for value in values if repr(value) in complete),
                never=tuple(value for value in values if repr(value) not in complete),
            )
        )
    return found


def _met(dimension: Dimension, settings: Sequence[Trial]) -> list[Any]:
    """The values of a dimension; numbers as the trials have them, which steps may only approach."""
    if dimension.choices:
        return list(dimension.choices)
    tried = [trial.values[dimension.path] for trial in settings]
    met = []
    for value in dimension.values:
        close = [each for each in tried if abs(each - value) < (dimension.step or 1.0) / 2]
        met += sorted(set(close)) or [value]
    return met


def _value(trial: Trial) -> float:
    assert trial.value is not None
    return trial.value
