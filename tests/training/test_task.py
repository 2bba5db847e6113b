"""What the runner needs of any model."""

from pathlib import Path

import pytest

from mocha_lightning.data import KeyFacts, SpokenNumbers
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.summarizer import Summarizer


def test_a_task_needs_a_corpus_of_its_own_kind(tmp_path: Path) -> None:
    documents, speech = KeyFacts(cache_dir=str(tmp_path)), SpokenNumbers(cache_dir=str(tmp_path))
    for task, data, kind in (
        (SpeechRecognizer, documents, "speech"),
        (Summarizer, speech, "documents"),
    ):
        with pytest.raises(ValueError, match=f"task is one of {kind}, and data are none"):
            task(data.spec, attention=None)
