"""The order in which things are timed against each other."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

Subject = TypeVar("Subject")


def rotations(subjects: Sequence[Subject], rounds: int) -> Iterator[tuple[Subject, ...]]:
    """The order of each round: all subjects, beginning with the next of them each time.

    What a machine does beside, and how warm it is, then falls on all of them alike, and none of
    them is always the first.

    Args:
        subjects: what is timed.
        rounds: how often each.
    """
    for number in range(rounds):
        first = number % len(subjects)
        yield (*subjects[first:], *subjects[:first])
