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
