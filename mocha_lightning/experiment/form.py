"""Checking the form of a file, so that what is wrong is named by file, line and key."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.document import Document
from mocha_lightning.experiment.mistakes import ConfigError

Form = TypeVar("Form", bound=BaseModel)


def read_form(
    document: Document,
    form: type[Form],
    agree: Callable[[Form], None],
    first: Callable[[ValidationError], ConfigError],
) -> Form:
    """What a document says, in the form that it must have.

    Args:
        document: the file's.
        form: its keys and their types.
        agree: raises ConfigError where keys are at odds.
        first: what a reader is told of values that do not fit.

    Raises:
        UserError: a key is unknown, missing, of a wrong type or at odds with another.
    """
    try:
        file = form.model_validate(document.data)
        agree(file)
    except ValidationError as error:
        mistake = first(error)
        raise UserError(f"{document.where(mistake.keys)}: {mistake.problem}") from error
    except ConfigError as mistake:
        raise UserError(f"{document.where(mistake.keys)}: {mistake.problem}") from mistake
    return file
