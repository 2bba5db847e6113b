"""What is wrong with a file that is read, in one line."""

import json
from pathlib import Path

from pydantic import ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.schema import check_known


def check_readable(path: Path, text: bytes, remedy: str) -> None:
    """Refuse what is no JSON, or of a schema that this version cannot know.

    Args:
        path: the file's.
        text: what it holds.
        remedy: what to do about a file that cannot be used.

    Raises:
        UserError: it is.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not complete JSON ({error}); {remedy}") from error
    if isinstance(content, dict):
        check_known(path, content.get("schema"))


def first_problem(error: ValidationError) -> str:
    """The first of the mistakes, with its key."""
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    said = problem["msg"].removeprefix("Value error, ")
    return f"key {key}: {said}" if key else said
