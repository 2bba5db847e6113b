"""Reading a file of JSON strictly: what is wrong with it is told in one line."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.schema import check_known

Form = TypeVar("Form")


def read_json(path: Path, form: TypeAdapter[Form], remedy: str, joint: str = ";") -> Form:
    """What a file says, in the form that it must have.

    Args:
        path: the file's.
        form: its keys and their types.
        remedy: what to do about a file that cannot be used.
        joint: what stands between a wrong value and that.

    Raises:
        UserError: it cannot be read, is truncated, has a wrong value, or has not this form since
            it is of a newer schema.
    """
    try:
        text = path.read_bytes()
        return form.validate_json(text, strict=True)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable, and report again") from error
    except ValidationError as error:
        _check_readable(path, text, remedy)
        raise UserError(f"{path}: {first_problem(error)}{joint} {remedy}") from error


def first_problem(error: ValidationError) -> str:
    """The first of the mistakes, with its key."""
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    said = problem["msg"].removeprefix("Value error, ")
    return f"key {key}: {said}" if key else said


def _check_readable(path: Path, text: bytes, remedy: str) -> None:
    """Refuse what is no JSON, or of a schema that this version cannot know."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not complete JSON ({error}); {remedy}") from error
    if isinstance(content, dict):
        check_known(path, content.get("schema"))
