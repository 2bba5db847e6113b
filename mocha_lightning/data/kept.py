"""What a corpus has kept of itself in a checkpoint, on its way back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mocha_lightning.errors import UserError, in_a_line


@contextmanager
def reading_kept(state: Mapping[str, Any], version: int) -> Iterator[None]:
    """Read such a state, of which nothing is certain.

    Args:
        state: what was kept; its version stands under ``format``.
        version: the one that is read.

    Raises:
        UserError: it is of another version, or whatever was made of its values failed.
    """
    if state.get("format") != version:
        raise UserError(
            f"what it keeps of its corpus is in format {state.get('format')}, and this version "
            f"reads format {version}: use the version that it was trained with"
        )
    try:
        yield
    except Exception as error:  # whatever other values make of the constructors
        said = in_a_line(error)
        raise UserError(
            f"what it keeps of its corpus is damaged ({said}): use another checkpoint"
        ) from error
