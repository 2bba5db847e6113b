"""What the caption says of a corpus, as far as its description goes."""

from typing import Any

import pytest

from mocha_lightning.report.corpus import data_label
from mocha_lightning.report.results import DataFacts


@pytest.mark.parametrize(
    ("description", "label"),
    [
        ({}, "digits"),
        ({"speech": "human"}, "digits (speech: human)"),
        (
            {
                "speech": "human",
                "held_out_speaker": "theo",
                "splits": {"train": {"utterances": 6000}, "test": {"utterances": 400}},
            },
            "digits (speech: human; held-out speaker: theo; utterances: 6,000 train, 400 test)",
        ),
        (
            {
                "documents": "documents of a file",
                "splits": {"train": {"documents": 6000}, "test": {"documents": 1}},
            },
            "digits (texts: documents of a file; documents: 6,000 train, 1 test)",
        ),
        ({"held_out_speaker": None}, "digits"),
        # Of another corpus, which may describe itself otherwise.
        ({"splits": {"test": {"sentences": 5}}}, "digits"),
        ({"splits": ["train", "test"]}, "digits"),
    ],
)
def test_a_corpus_is_named_with_what_its_description_holds(
    description: dict[str, Any], label: str
) -> None:
    assert data_label(DataFacts("digits", "d47a" * 16, description)) == label
