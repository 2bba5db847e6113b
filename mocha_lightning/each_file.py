"""Files of which one that cannot be used keeps no other from being done."""

import sys
from collections.abc import Callable, Iterable

from mocha_lightning.errors import NotANumberError, UserError

STANDARD_INPUT = "standard input"


def each_file(
    names: Iterable[str], do: Callable[[str], None], shown: Callable[[str], str] = str
) -> bool:
    """Do something with each file; what is wrong with one is said in a line that names it.

    Args:
        names: of the files.
        do: what is done.
        shown: how a name is told.

    Returns:
        Whether nothing was wrong.
    """
    failed = 0
    for name in names:
        try:
            do(name)
        except (UserError, NotANumberError) as error:
            said, told = str(error), shown(name)
            names_it = said.startswith((f"{told}: ", f"{told}, "))
            say(f"error: {said if names_it else f'{told}: {said}'}")
            failed += 1
    return failed == 0


def say(text: str) -> None:
    """Tell it on standard error."""
    print(text, file=sys.stderr, flush=True)
