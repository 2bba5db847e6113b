"""Words as text."""

from collections.abc import Sequence

ENDS = frozenset(".!?")
"""Words that end a sentence."""


def text_of(words: Sequence[str]) -> str:
    """Words separated by spaces, a sentence a line, as summaries are scored."""
    text = "".join(f"{word}\n" if word in ENDS else f"{word} " for word in words)
    return text.rstrip()
