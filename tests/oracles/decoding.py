"""Greedy search over one utterance, symbol by symbol."""

from collections.abc import Callable


def greedy(
    step: Callable[[int, int], tuple[list[float], float]], cap: int, start: int, end: int
) -> tuple[list[int], bool, list[float]]:
    """Symbols before the end symbol, whether the cap cut them, and the mass of each step.

    ``step`` maps (steps made, last symbol) to (logits, attended mass).
    """
    symbols: list[int] = []
    masses: list[float] = []
    last = start
    while len(symbols) < cap:
        logits, mass = step(len(masses), last)
        masses.append(mass)
        last = max(range(len(logits)), key=lambda symbol: logits[symbol])
        if last == end:
            return symbols, False, masses
        symbols.append(last)
    return symbols, True, masses


Sequence = tuple[int, ...]
"""Symbols, the end symbol included if it came."""


def score(sequence: Sequence, log_probability: float, alpha: float) -> float:
    """By what ended sequences are compared."""
    return log_probability / len(sequence) ** alpha


def beam(
    gains: Callable[[Sequence], list[float]],
    cap: int,
    end: int,
    width: int,
    threshold: float,
    alpha: float,
) -> list[tuple[Sequence, float]]:
    """Ended sequences and their log-probabilities, the best first; no search is ended early.

    ``gains`` maps the symbols so far to the log-probability of each symbol as the next.
    """
    live: dict[Sequence, float] = {(): 0.0}
    ended: dict[Sequence, float] = {}
    while live:
        candidates = {}
        for sequence, total in live.items():
            next_ones = gains(sequence)
            for symbol in sorted(range(len(next_ones)), key=lambda s: -next_ones[s]):
                candidates[(*sequence, symbol)] = total + next_ones[symbol]
        likeliest = sorted(candidates, key=lambda sequence: -candidates[sequence])[:width]
        at_end = {s for s in likeliest if s[-1] == end or len(s) == cap}
        everything = ended | {sequence: candidates[sequence] for sequence in likeliest}
        least = max(everything.values()) - threshold
        kept = {sequence: total for sequence, total in everything.items() if total >= least}
        live = {s: total for s, total in kept.items() if s not in ended and s not in at_end}
        ended = {s: total for s, total in kept.items() if s in ended or s in at_end}
        order = sorted(ended, key=lambda s: -score(s, ended[s], alpha))
        ended = {s: ended[s] for s in order[:width]}
    return list(ended.items())


def every_sequence(
    gains: Callable[[Sequence], list[float]], cap: int, end: int
) -> dict[Sequence, float]:
    """All that could come of a search, with log-probabilities."""
    found: dict[Sequence, float] = {}
    live: dict[Sequence, float] = {(): 0.0}
    while live:
        longer = {
            (*sequence, symbol): total + gain
            for sequence, total in live.items()
            for symbol, gain in enumerate(gains(sequence))
        }
        at_end = {s: total for s, total in longer.items() if s[-1] == end or len(s) == cap}
        found |= at_end
        live = {s: total for s, total in longer.items() if s not in at_end}
    return found
