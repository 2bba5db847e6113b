"""Documents small enough to be written for a test."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mocha_lightning.data import Documents, Text
from mocha_lightning.data.document_batches import Cut
from mocha_lightning.data.document_texts import DocumentLimits, Reading
from mocha_lightning.data.tokenizing import SpaceTokenizer

PLAIN = (
    Text("a", "train", "the cat sat . the dog ran .", "the cat ."),
    Text("b", "train", "the dog saw zebra and gnu and zebra .", "zebra dog okapi ."),
    Text("c", "train", "the cat ran .", "the cat ran .", details={"order": "normal"}),
    Text("d", "validation", "the gnu sat .", "gnu ."),
    Text("e", "validation", "dog", "dog"),
    Text("f", "validation", "the dog ran and the cat ran .", "the dog ."),
    Text("g", "test", "a zebra sat .", "zebra ."),
    Text("h", "test", "the dog sat .", "dog ."),
)


class Written(Documents):
    """Documents that a test gives."""

    name = "written"
    kind = "sentences"

    def __init__(self, folder: Path, texts: Sequence[Text] = PLAIN, **changes: Any) -> None:
        settings: dict[str, Any] = {
            "highlights": False,
            "max_document_words": None,
            "on_unusable": "stop",
            "source_words": 400,
            "target_words": 100,
            "lead_sentences": 1,
            "vocabulary_size": 50_000,
            "batch_size": 2,
            **changes,
        }
        limits = DocumentLimits(settings["max_document_words"], settings["on_unusable"])
        super().__init__(
            Reading(SpaceTokenizer(), settings["highlights"], limits),
            Cut(settings["source_words"], settings["target_words"], settings["lead_sentences"]),
            settings["vocabulary_size"],
            str(folder),
            settings["batch_size"],
            eval_batch_size=2,
        )
        self.own = texts

    def identity(self) -> dict[str, Any]:
        return {"texts": [str(text.document) for text in self.own]}

    def texts(self) -> Iterable[Text]:
        return self.own


def opened(data: Documents) -> Documents:
    """The corpus, prepared and ready."""
    data.prepare_data()
    data.setup()
    return data


def pairs(data: Documents) -> dict[str, dict[str, tuple[str, str]]]:
    """Document and summary of each example, by split and id."""
    opened(data)
    return {
        name: {
            example.id: (example.document, example.summary)
            for example in (split[row].example for row in range(len(split)))
        }
        for name, split in data.splits.items()
    }
