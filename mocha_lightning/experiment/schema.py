"""The version of ``result.json``'s form."""

from pathlib import Path

from mocha_lightning.errors import UserError

SCHEMA = 1


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
