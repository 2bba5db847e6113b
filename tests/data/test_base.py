"""What results say of the software behind a corpus."""

from importlib.metadata import version

import pytest

from mocha_lightning.data import (
    BotocoreDocumentation,
    CnnDailyMail,
    DocumentFile,
    KeyFacts,
    LibriSpeech,
    LibriSpeechHub,
    SpokenDigits,
    SpokenNumbers,
)
from mocha_lightning.data.base import DataModule
from mocha_lightning.data.synthesis import espeak_version

FEATURES = {"kaldi-native-fbank", "numpy", "soxr"}
FILES = {"train": "a.jsonl", "validation": "b.jsonl", "test": "c.jsonl"}


@pytest.mark.parametrize(
    ("corpus", "packages"),
    [
        (LibriSpeech("folder"), {*FEATURES, "soundfile", "desphere"}),
        (SpokenDigits("folder"), {*FEATURES, "soundfile"}),
        (LibriSpeechHub(), {*FEATURES, "soundfile", "desphere", "datasets", "pyarrow"}),
        (CnnDailyMail(), {"nltk", "datasets", "pyarrow"}),
        (DocumentFile(**FILES), {"nltk", "pyarrow"}),
        # What is tokenised already, nothing cuts into words.
        (DocumentFile(**FILES, tokenised=True), {"pyarrow"}),
        (KeyFacts(), {"numpy"}),
        # A folder that was named is known by its content.
        (BotocoreDocumentation("folder"), {"nltk"}),
    ],
    ids=lambda value: value.name if isinstance(value, DataModule) else "",
)
def test_a_corpus_tells_the_versions_of_what_makes_it(
    corpus: DataModule, packages: set[str]
) -> None:
    assert corpus.versions() == {package: version(package) for package in packages}


def test_synthetic_speech_tells_the_engine_s_version() -> None:
    pytest.importorskip("espeakng_loader")
    assert SpokenNumbers().versions()["espeak-ng"] == espeak_version()


def test_documentation_tells_the_version_of_its_package() -> None:
    pytest.importorskip("botocore")
    assert BotocoreDocumentation().versions()["botocore"] == version("botocore")
