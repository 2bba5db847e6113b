"""How many decimals a table needs: as few as still tell its runs and variants apart."""

from collections.abc import Iterable
from itertools import combinations

LEAST, MOST = 2, 6


def decimals(spreads: Iterable[float], means: Iterable[float]) -> int:
    """Return the decimals that show the smallest spread with two significant digits.

    Args:
        spreads: standard deviations and differences.
        means: of the variants; where there is no spread (single runs that are not compared), the
            distances between these count.

    Returns:
        2 to 6, for the whole table: columns of unequal decimals are hard to compare.
    """
    shown = _visible(spreads) or _visible(a - b for a, b in combinations(means, 2))
    if not shown:
        return LEAST
    # Rounded first: 0.3 - 0.2 is 0.09999999999999998, whose two digits are those of 0.10.
    exponent = int(f"{min(shown):.1e}".partition("e")[2])
    return min(max(1 - exponent, LEAST), MOST)


def _visible(spreads: Iterable[float]) -> list[float]:
    """Leave out what is zero, or is the rounding of a sum, as the most decimals tell."""
    return [abs(spread) for spread in spreads if abs(spread) >= 0.5 * 10**-MOST]
