"""Corpora: each one a class of its own file, prepared once on disk."""

from mocha_lightning.data.base import DataModule
from mocha_lightning.data.botocore_docs import BotocoreDocumentation
from mocha_lightning.data.cnn_dailymail import CnnDailyMail
from mocha_lightning.data.cuts import LhotseCuts
from mocha_lightning.data.debian_descriptions import DebianDescriptions
from mocha_lightning.data.document_batches import DocumentBatch, DocumentSpec, Example
from mocha_lightning.data.document_file import DocumentFile
from mocha_lightning.data.document_texts import Text
from mocha_lightning.data.documents import Documents
from mocha_lightning.data.espeak import SpokenNumbers
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.folder import AudioFolder
from mocha_lightning.data.fsdd import SpokenDigits
from mocha_lightning.data.hub import LibriSpeechHub
from mocha_lightning.data.key_facts import KeyFacts
from mocha_lightning.data.librispeech import LibriSpeech
from mocha_lightning.data.manifest import NemoManifest
from mocha_lightning.data.recorded import RecordedSpeech, Recording
from mocha_lightning.data.speech import SpeechBatch, SpeechData, SpeechSpec
from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.data.word_vocabulary import WordVocabulary
from mocha_lightning.data.wsj import Wsj

__all__ = [
    "AudioFolder",
    "BotocoreDocumentation",
    "CnnDailyMail",
    "DataModule",
    "DebianDescriptions",
    "DocumentBatch",
    "DocumentFile",
    "DocumentSpec",
    "Documents",
    "Example",
    "KeyFacts",
    "LhotseCuts",
    "LibriSpeech",
    "LibriSpeechHub",
    "LogMel",
    "NemoManifest",
    "RecordedSpeech",
    "Recording",
    "SpeechBatch",
    "SpeechData",
    "SpeechSpec",
    "SpokenDigits",
    "SpokenNumbers",
    "Text",
    "Vocabulary",
    "WordVocabulary",
    "Wsj",
]
