"""Sizes in memory entries that a user sets: of chunks, of windows."""

MOST = 2**53
"""Positions are counted in 64 bits; so no sum of a few of them is too large."""


def check_size(name: str, size: int, least: int = 1) -> None:
    """Check a size.

    Args:
        name: the argument's.
        size: its value.
        least: the smallest that makes sense.

    Raises:
        ValueError: it is below that, or too large to count with.
    """
    if size < least:
        raise ValueError(f"{name} must be at least {least}, not {size}")
    if size >= MOST:
        raise ValueError(f"{name} must be less than {MOST:,}, not {size:,}")
