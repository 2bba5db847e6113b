"""Numbers as they are spoken."""

from collections.abc import Mapping
from typing import Literal

ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

Units = Literal["digits", "mixed", "hundreds"]


def in_words(number: int) -> str:
    """A number from 0 to 999 in British words: 407 is "four hundred and seven"."""
    hundreds, rest = divmod(number, 100)
    if hundreds:
        return f"{ONES[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")
    if rest < 20:
        return (ONES + TEENS)[rest]
    tens, ones = divmod(rest, 10)
    return TENS[tens - 2] + (f" {ONES[ones]}" if ones else "")


UNITS: Mapping[Units, tuple[str, ...]] = {
    "digits": ONES,
    "mixed": ONES + TEENS + TENS,
    "hundreds": tuple(in_words(number) for number in range(1000)),
}
"""What a string of numbers is made of: ten digits; 28 words, digits, teens and tens; or whole
numbers below a thousand, of one to five words each."""
