"""A sweep as one of Optuna's studies again, in memory alone, for Optuna's own pictures."""

from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, create_trial

from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.sweep.ends import OPTUNA_STATES
from mocha_lightning.report.sweep.reading import Trial
from mocha_lightning.report.sweep.space import Dimension


def rebuilt(report: SweepReport) -> optuna.Study:
    """Make a study of the trials that are over; its parameters have their short names.

    A trial's number there is its place among those of the report, which may lack some.
    """
    before = optuna.logging.get_verbosity()
    # It would say on the terminal that it was made.
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(
            study_name=report.name,
            direction="minimize" if report.definition.metric.mode == "min" else "maximize",
        )
    finally:
        optuna.logging.set_verbosity(before)
    study.add_trials(_trial(trial, report.definition.dimensions) for trial in report.trials)
    return study


def _trial(trial: Trial, dimensions: tuple[Dimension, ...]) -> FrozenTrial:
    return create_trial(
        state=OPTUNA_STATES[trial.state],
        value=trial.value,
        params={each.name: _within(trial.values[each.path], each) for each in dimensions},
        distributions={each.name: _distribution(each) for each in dimensions},
        intermediate_values=dict(trial.intermediate),
    )


def _within(value: Any, dimension: Dimension) -> Any:
    """Optuna takes no value that rounding has put beyond the end of a grid."""
    return value if dimension.choices else min(max(value, dimension.low), dimension.high)


def _distribution(dimension: Dimension) -> BaseDistribution:
    if dimension.choices:
        return CategoricalDistribution(dimension.choices)
    if dimension.whole:
        return IntDistribution(
            int(dimension.low),
            int(dimension.high),
            log=dimension.log,
            step=int(dimension.step or 1),
        )
    return FloatDistribution(dimension.low, dimension.high, log=dimension.log, step=dimension.step)
