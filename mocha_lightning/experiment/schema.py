"""The form of ``result.json``, as those who write it and those who read it know it."""

from pathlib import Path

from mocha_lightning.errors import UserError

SCHEMA = 1
COMPLETED = "completed"
"""How a run ended that made all its steps; any other end is told by a sentence."""


def check_known(path: Path, schema: object) -> None:
    """Refuse a result whose schema this version cannot know.

    Args:
        path: the result's.
        schema: what stands in it.

    Raises:
        UserError: it is newer.
    """
    if isinstance(schema, int) and schema > SCHEMA:
        raise UserError(
            f"{path}: its schema {schema} is newer than the {SCHEMA} that this version knows: "
            "update mocha-lightning"
        )
