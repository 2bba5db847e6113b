"""Corpora: each one a class of its own file, prepared once on disk.

A name is imported when it is first asked for: processes that only read recordings so begin without
the seconds that torch and Lightning take.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from mocha_lightning.data.generated import GeneratedSpeech
    from mocha_lightning.data.hub import LibriSpeechHub
    from mocha_lightning.data.key_facts import KeyFacts
    from mocha_lightning.data.librispeech import LibriSpeech
    from mocha_lightning.data.manifest import NemoManifest
    from mocha_lightning.data.recorded import RecordedSpeech
    from mocha_lightning.data.recording import Recording
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
    "GeneratedSpeech",
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

_FILES = {
    "AudioFolder": "folder",
    "BotocoreDocumentation": "botocore_docs",
    "CnnDailyMail": "cnn_dailymail",
    "DataModule": "base",
    "DebianDescriptions": "debian_descriptions",
    "DocumentBatch": "document_batches",
    "DocumentFile": "document_file",
    "DocumentSpec": "document_batches",
    "Documents": "documents",
    "Example": "document_batches",
    "GeneratedSpeech": "generated",
    "KeyFacts": "key_facts",
    "LhotseCuts": "cuts",
    "LibriSpeech": "librispeech",
    "LibriSpeechHub": "hub",
    "LogMel": "features",
    "NemoManifest": "manifest",
    "RecordedSpeech": "recorded",
    "Recording": "recording",
    "SpeechBatch": "speech",
    "SpeechData": "speech",
    "SpeechSpec": "speech",
    "SpokenDigits": "fsdd",
    "SpokenNumbers": "espeak",
    "Text": "document_texts",
    "Vocabulary": "vocabulary",
    "WordVocabulary": "word_vocabulary",
    "Wsj": "wsj",
}


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
