"""Predictions of a small experiment's runs, written as the runner writes them."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mocha_lightning.experiment.places import run_folder

from .conftest import WERS, Folder

DOCUMENTS: tuple[dict[str, Any], ...] = (
    {"id": "d", "order": "normal", "distance": 0, "reference": "a b ."},
    {"id": "b", "order": "normal", "distance": 1, "reference": "b a ."},
    {"id": "a", "order": "normal", "distance": 1, "reference": "d c ."},
    {"id": "c", "order": "reversed", "distance": 7, "reference": "e d ."},
)
"""In the order in which they are tested, which is no order of names."""
RIGHT = {
    "soft": ("dbac", "dbac", "dba"),
    "mocha_w2": ("d", "db", "d"),
}
"""By variant and seed, the documents that are copied without a mistake."""
WRONG = "x y ."


def records(right: Iterable[str]) -> list[dict[str, Any]]:
    """A run's predictions, of which some are right and all others are the same wrong text."""
    known = set(right)
    return [
        {
            **document,
            "source": f"first {document['id']} .\nsecond .\nthird .\nfourth .",
            "hypothesis": document["reference"] if document["id"] in known else WRONG,
            "hypothesis_greedy": "g",
        }
        for document in DOCUMENTS
    ]


def write(runs: Folder, variant: str, seed: int, predictions: Iterable[Mapping[str, Any]]) -> None:
    """Keep what a run predicts."""
    folder = run_folder(runs.path, variant, seed)
    text = "".join(f"{json.dumps(record)}\n" for record in predictions)
    (folder / "predictions.jsonl").write_text(text)


def predict(runs: Folder, change: Callable[[dict[str, Any]], Any] = lambda _: None) -> None:
    """Keep the predictions of all runs, each record changed.

    Args:
        runs: the experiment's folder.
        change: changes a record in place.
    """
    for variant in WERS:
        for seed, right in enumerate(RIGHT[variant]):
            predictions = records(right)
            for record in predictions:
                change(record)
            write(runs, variant, seed, predictions)


def as_speech(record: dict[str, Any]) -> None:
    """Change a record to one of an utterance."""
    record["utterance"] = record.pop("id")
    for key in ("source", "order", "distance"):
        record.pop(key)
