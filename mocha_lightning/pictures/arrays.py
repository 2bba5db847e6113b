"""Arrays of a file are what they must be to be drawn."""

import numpy as np
from jaxtyping import Shaped
from numpy import ndarray


def words(array: Shaped[ndarray, "..."]) -> tuple[str, ...]:
    """Texts of a file.

    Raises:
        ValueError: they are none, or not in a row.
    """
    if array.ndim != 1 or array.dtype.kind != "U" or not len(array):
        raise ValueError(f"{array.dtype} {array.shape} is no row of texts")
    return tuple(array.tolist())


def numbers(
    array: Shaped[ndarray, "..."], rows: int | None = None, columns: int | None = None
) -> Shaped[ndarray, "rows columns"]:
    """Numbers of a file; so many where that is known.

    Raises:
        ValueError: they are none, or otherwise many.
    """
    if array.ndim != 2 or not array.size or array.dtype.kind != "f":
        raise ValueError(f"{array.dtype} {array.shape} is no table of numbers")
    if rows not in (None, array.shape[0]) or columns not in (None, array.shape[1]):
        raise ValueError(f"a table of {array.shape} numbers where ({rows}, {columns}) belong")
    if not np.isfinite(array).all():
        raise ValueError("some number is none")
    return array
