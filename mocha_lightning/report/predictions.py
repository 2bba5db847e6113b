"""What a run made of each example of the test set: its `predictions.jsonl`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, Strict, StrictInt, TypeAdapter, ValidationError

from mocha_lightning.errors import UserError


def _whole(text: str) -> str:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError("half a character (a surrogate)")
    return text


Unicode = Annotated[str, Strict(), AfterValidator(_whole)]
"""A text that can be written; JSON's escapes can spell others."""


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

    id: Unicode
    reference: Unicode
    hypothesis: Unicode
    source: Unicode | None = None
    lead: Unicode | None = None
    order: Unicode | None = None
    distance: Annotated[StrictInt, Field(ge=0, le=1_000_000)] | None = None

    @property
    def example(self) -> tuple[str | int | None, ...]:
        """What is the test set's and no run's: equal of every run."""
        return (self.id, self.reference, self.source, self.lead, self.order, self.distance)


_PREDICTION = TypeAdapter(Prediction)


def read_predictions(path: Path) -> tuple[Prediction, ...] | None:
    """Read a run's predictions.

    Returns:
        They, in the file's order; None where there is no file, or what a model of one's own
        predicts is no text.

    Raises:
        UserError: the file cannot be read, holds half a line, a value of another kind or an
            example twice.
    """
    found: dict[str, Prediction] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                place = f"{path}, line {number}"
                record = _record(line, place)
                if not {"reference", "hypothesis"} <= record.keys():
                    return None
                prediction = _prediction(record, number, place)
                if prediction.id in found:
                    raise UserError(f"{place}: {prediction.id!r} is there twice: {_REMEDY}")
                found[prediction.id] = prediction
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}): {_REMEDY}") from error
    return tuple(found.values()) or None


_REMEDY = "remove it and the report does without, or delete the run's result.json and run it again"


def _record(line: str, place: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: not complete JSON ({error}): {_REMEDY}") from error
    if not isinstance(record, dict):
        raise UserError(f"{place}: no JSON object: {_REMEDY}")
    return record


def _prediction(record: Mapping[str, Any], number: int, place: str) -> Prediction:
    # What is recognised is called an utterance.
    name = record.get("id", record.get("utterance", str(number)))
    known = {key: record[key] for key in _FIELDS & record.keys()}
    try:
        return _PREDICTION.validate_python({**known, "id": name})
    except ValidationError as error:
        (wrong, *_) = error.errors()
        key = ".".join(map(str, wrong["loc"]))
        said = wrong["msg"][0].lower() + wrong["msg"][1:]
        raise UserError(f"{place}: key {key}: {said}: {_REMEDY}") from error


_FIELDS = {field.name for field in fields(Prediction)}
