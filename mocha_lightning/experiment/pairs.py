"""Comparisons, as pairs of variants."""

from collections.abc import Sequence


def is_repeated(pairs: Sequence[Sequence[str]], place: int) -> bool:
    """Whether the comparison at a place stands before it too, either way round.

    It would count twice in Holm's correction.
    """
    return sorted(pairs[place]) in map(sorted, pairs[:place])
