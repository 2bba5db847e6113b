"""One Weights & Biases run for each run, and a run that does not care whether W&B lives."""

from mocha_lightning.tracking.identity import Identity
from mocha_lightning.tracking.settings import DISABLED, WandbSettings
from mocha_lightning.tracking.tracker import Tracker

__all__ = ["DISABLED", "Identity", "Tracker", "WandbSettings"]
