"""Corpora: each one a class of its own file, prepared once on disk."""

from mocha_lightning.data.base import DataModule
from mocha_lightning.data.espeak import SpokenNumbers
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.fsdd import SpokenDigits
from mocha_lightning.data.speech import SpeechBatch, SpeechData, SpeechSpec
from mocha_lightning.data.vocabulary import Vocabulary

__all__ = [
    "DataModule",
    "LogMel",
    "SpeechBatch",
    "SpeechData",
    "SpeechSpec",
    "SpokenDigits",
    "SpokenNumbers",
    "Vocabulary",
]
