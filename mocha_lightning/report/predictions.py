"""What a run made of each example of the test set: its `predictions.jsonl`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError


@dataclass(frozen=True)
class Prediction:
    """One example of the test set, and what a run made of it.

    Attributes:
        id: its name.
        reference: the true text.
        hypothesis: what was made, as the run is scored.
        source: the document; None for speech.
        lead: the document's first sentences, where the corpus says how many these are.
        order: the order in which the summary tells its document, where the corpus knows.
        distance: words that the summary goes back in its document, where the corpus knows.
    """

    id: str
    reference: str
    hypothesis: str
    source: str | None = None
    lead: str | None = None
    order: str | None = None
    distance: int | None = None


def read_predictions(path: Path) -> tuple[Prediction, ...] | None:
    """Read a run's predictions.

    Returns:
        They, in the file's order; None where there is no file, or what a model of one's own
        predicts is no text.

    Raises:
        UserError: the file cannot be read or holds half a line.
    """
    found = []
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                record = _record(line, f"{path}, line {number}")
                if not {"reference", "hypothesis"} <= record.keys():
                    return None
                found.append(_prediction(record, number))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}): {_REMEDY}") from error
    return tuple(found) or None


_REMEDY = "remove it and the report does without, or delete the run's result.json and run it again"


def _record(line: str, place: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise UserError(f"{place}: not complete JSON ({error}): {_REMEDY}") from error
    if not isinstance(record, dict):
        raise UserError(f"{place}: no JSON object: {_REMEDY}")
    return record


def _prediction(record: Mapping[str, Any], number: int) -> Prediction:
    return Prediction(
        # What is recognised is called an utterance.
        str(record.get("id", record.get("utterance", number))),
        str(record["reference"]),
        str(record["hypothesis"]),
        *(record.get(key) for key in ("source", "lead", "order", "distance")),
    )
