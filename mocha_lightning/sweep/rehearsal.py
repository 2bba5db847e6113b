"""Trials that nobody does: a sampler or a pruner says only when it is asked what it cannot use."""

import warnings

import optuna

from mocha_lightning.sweep.blame import blamed
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.space import suggest

TRIALS = 3
"""Samplers that learn from what was tried often choose the first one at random."""


def rehearse(sweep: Sweep) -> None:
    """Have a sweep's sampler choose, and its pruner judge, in a study that is forgotten.

    Raises:
        UserError: one of them cannot.
    """
    # What they have to say they will say of the study that is kept.
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(pruner=sweep.pruner())
        for number in range(TRIALS):
            study.sampler = sweep.sampler(number)
            with blamed(sweep.document, "sampler"):
                trial = study.ask()
                suggest(trial, sweep.space)
            trial.report(1 / (number + 1), step=1)
            with blamed(sweep.document, "pruner"):
                trial.should_prune()
            with blamed(sweep.document, "sampler"):
                study.tell(trial, 1 / (number + 1))
