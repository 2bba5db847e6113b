"""How numbers are written for people; the CSV and JSON files keep every digit."""

import math

_UNREADABLE = 1e15
"""From here on a number's digits are counted and not read, and the last are none of its own."""
COMMIT_DIGITS = 12
"""So many of a commit's hash stand for it in a sentence."""
ABSENT = "\N{EN DASH}"


def decimal(value: float | None, digits: int = 2, sign: bool = False) -> str:
    """Write a number with fixed decimals; NaN as NaN, no number as a dash."""
    if value is None:
        return ABSENT
    if math.isnan(value):
        return "NaN"
    if abs(value) >= _UNREADABLE:
        return f"{value:{'+' if sign else ''}.{digits}e}"
    # With z there is no -0.00.
    return f"{value:{'+' if sign else ''}z,.{digits}f}"


def percent(share: float | None, digits: int = 1, sign: bool = False) -> str:
    """Write a share in [0, 1] as per cent."""
    if share is None or math.isnan(share):
        return decimal(share)
    return f"{decimal(share * 100, digits, sign)} %"


def interval(ends: tuple[float, float] | None, digits: int = 2, sign: bool = False) -> str:
    """Write an interval as `0.40 to 2.20`."""
    return ABSENT if ends is None else " to ".join(decimal(end, digits, sign) for end in ends)


def p_value(p: float | None) -> str:
    """Write a p value with two significant digits, and no false zero."""
    if p is None:
        return ABSENT
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def printable(text: str) -> str:
    """Put spaces for signs that nobody sees: line ends, and what would steer a terminal or page."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else " " for sign in text)


def p_statement(p: float) -> str:
    """Write a p value inside a sentence: `p = 0.03`, `p < 0.0001`."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"
