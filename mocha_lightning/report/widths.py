"""How wide the columns of a table on a terminal are. Rich would cut one off or break a number."""

from collections.abc import Sequence

import pandas as pd

LEAST_NAME = 16
"""Characters of a row's name that stay together; those of a number always do."""
GAP = 2
"""Characters between two columns."""


def least_widths(table: pd.DataFrame) -> list[int]:
    """Return the width of each column's longest word; one of the first column may be broken."""
    name, *others = (
        max(len(word) for text in texts for word in text.split()) for texts in _columns(table)
    )
    return [min(name, LEAST_NAME), *others]


def total(widths: Sequence[int]) -> int:
    """Return the width of a table with such columns."""
    return sum(widths) + GAP * (len(widths) - 1)


def fitted_widths(table: pd.DataFrame, room: int) -> list[int]:
    """Narrow the column that has most to give, until the table fits or none has any."""
    least = least_widths(table)
    widths = [max(len(text) for text in texts) for texts in _columns(table)]
    while total(widths) > room:
        spare = [width - fewest for width, fewest in zip(widths, least, strict=True)]
        if max(spare) <= 0:
            break
        widths[spare.index(max(spare))] -= 1
    return widths


def _columns(table: pd.DataFrame) -> list[list[str]]:
    return [[str(name), *cells] for name, cells in table.items()]
