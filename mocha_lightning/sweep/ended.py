"""Reading ``trial.json``, which is there if and only if a trial is over."""

from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from mocha_lightning.errors import UserError

Form = TypeVar("Form")


def read_end(path: Path, form: TypeAdapter[Form]) -> Form:
    """What a trial's end says of what is asked.

    Args:
        path: the file's.
        form: the keys that are asked for, and their types.

    Raises:
        UserError: it cannot be read, or does not say that.
    """
    try:
        return form.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UserError(
            f"{path}: cannot be read as a trial's end: bring it back as it was, or move the "
            "trial's folder out of the sweep's"
        ) from error
