"""How a trial ends, and what Optuna is told of it."""

from optuna.trial import TrialState

from mocha_lightning.experiment.places import TrialEnd

OPTUNA_STATES: dict[TrialEnd, TrialState] = {
    "complete": TrialState.COMPLETE,
    "pruned": TrialState.PRUNED,
    # A setting at which training breaks down is no failure of the search: it is a bad setting.
    "diverged": TrialState.PRUNED,
    "failed": TrialState.FAIL,
}
