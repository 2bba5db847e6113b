"""A sampler and a pruner that raise when they are asked, and data that not all settings allow."""

from typing import Any

import optuna
from experiment.toy import ToyData
from optuna.pruners import BasePruner
from optuna.samplers import RandomSampler
from optuna.trial import FrozenTrial


class Refusing(RandomSampler):
    """It can be built, and chooses nothing."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)

    def sample_independent(self, *_: Any) -> Any:
        """Raise."""
        raise ValueError("it cannot choose")


class Unsure(BasePruner):
    """It does not know what to say."""

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        """Raise."""
        raise KeyError("nothing")


class EvenData(ToyData):
    """Points whose number must be a multiple of another, so that not all pairs of these can be."""

    def __init__(self, size: int = 4, parts: int = 1) -> None:
        super().__init__(size)
        if size % parts:
            raise ValueError(f"size must be a multiple of {parts}, not {size}")
