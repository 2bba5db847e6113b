"""What corpora share that read rows by the Hugging Face library."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mocha_lightning.errors import UserError


def check_columns(place: str, needed: Sequence[str], found: Sequence[str] | None) -> None:
    """Check that rows have the columns that are needed.

    Args:
        place: source and split, for the message.
        needed: names of columns.
        found: those of the rows; None where the library cannot tell before it reads them.

    Raises:
        UserError: one is missing.
    """
    missing = [name for name in needed if name not in (found or needed)]
    if missing:
        raise UserError(
            f"{place}: has no column {missing[0]} (but {', '.join(found or ())}): choose another "
            "data.source"
        )


@contextmanager
def plain_errors(place: str, remedy: str, shown: int) -> Iterator[None]:
    """Tell in a line what the library raises for what it cannot reach or use.

    Args:
        place: source and split.
        remedy: what to do where there is no network.
        shown: characters of what the library says.

    Raises:
        UserError: something was raised.
    """
    # Seconds to import, and needed only to build.
    import datasets

    try:
        yield
    # It is of many kinds.
    except (
        datasets.exceptions.DatasetsError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            f"{place}: cannot be read ({reason[:shown]}): where there is no network, {remedy}"
        ) from error
