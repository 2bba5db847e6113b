"""Utterances that cannot be used: why, and what is done about it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from mocha_lightning.errors import UserError


class Reason(StrEnum):
    """Why an utterance cannot be used."""

    NO_TRANSCRIPT = "no transcript"
    NO_TEXT = "empty transcript"
    FOREIGN = "character outside the vocabulary"
    NO_AUDIO = "no audio file"
    UNREADABLE = "audio cannot be read"
    SILENT = "silent"
    TOO_SHORT = "too short"
    TOO_LONG = "too long"


class UnusableError(Exception):
    """One utterance cannot be used; its text says what was found."""

    def __init__(self, reason: Reason, found: str) -> None:
        # Both are given on: another process may have to make the same error of them.
        super().__init__(reason, found)
        self.reason = reason
        self.found = found

    def __str__(self) -> str:
        return self.found


@dataclass(frozen=True)
class Dropped:
    """An utterance that was left out.

    Args:
        utterance: its id, and where it is listed.
        split: the one that lacks it.
        reason: why.
        found: what exactly was found.
    """

    utterance: str
    split: str
    reason: Reason
    found: str

    @classmethod
    def from_fields(cls, fields: dict[str, str]) -> "Dropped":
        """Make one of its fields as JSON has them.

        Raises:
            ValueError, TypeError, KeyError: they are others.
        """
        rest = {name: value for name, value in fields.items() if name != "reason"}
        return cls(reason=Reason(fields["reason"]), **rest)

    @classmethod
    def because(cls, utterance: str, split: str, error: UnusableError) -> "Dropped":
        """An utterance that is left out for what an error says."""
        return cls(utterance, split, error.reason, error.found)

    def __str__(self) -> str:
        return f"{self.utterance}: {self.reason}: {self.found}"


@dataclass(frozen=True)
class Limits:
    """Which utterances are used.

    Args:
        min_seconds: shorter ones are left out, and counted.
        max_seconds: longer ones are left out, and counted; None for no limit.
        on_unusable: whether an utterance that cannot be used for another reason stops the
            preparation ("stop") or is left out and counted ("drop").

    Raises:
        UserError: a number is out of range.
    """

    min_seconds: float
    max_seconds: float | None
    on_unusable: Literal["stop", "drop"]

    def __post_init__(self) -> None:
        longest = float("inf") if self.max_seconds is None else self.max_seconds
        if not 0 <= self.min_seconds < longest:
            raise UserError(
                f"data.min_seconds is {self.min_seconds} and data.max_seconds {self.max_seconds}: "
                "the first must be at least 0 and the second more than the first"
            )

    @property
    def droppable(self) -> frozenset[Reason]:
        """Reasons for which an utterance is left out without stopping."""
        if self.on_unusable == "drop":
            return frozenset(Reason)
        return frozenset({Reason.TOO_SHORT, Reason.TOO_LONG})

    def check(self, seconds: float) -> None:
        """Raise :class:`UnusableError` where an utterance of so many seconds is left out."""
        if seconds < self.min_seconds:
            raise UnusableError(
                Reason.TOO_SHORT, f"{seconds:.3f} s, less than {self.min_seconds} s"
            )
        if self.max_seconds is not None and seconds > self.max_seconds:
            raise UnusableError(Reason.TOO_LONG, f"{seconds:.3f} s, more than {self.max_seconds} s")
