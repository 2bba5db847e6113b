"""Files of which one that cannot be used keeps no other from being done."""

import sys
from collections.abc import Callable, Iterable

from mocha_lightning.errors import NotANumberError, UserError

STANDARD_INPUT = "standard input"


def each_file(names: Iterable[str], do: Callable[[str], None]) -> bool:
    """Do something with each file; what is wrong with one is said in a line that names it.

    Returns:
        Whether nothing was wrong.
    """
    failed = 0
    for name in names:
        try:
            do(name)
        except (UserError, NotANumberError) as error:
            said = str(error)
            say(f"error: {said if said.startswith(name) else f'{name}: {said}'}")
            failed += 1
    return failed == 0


def say(text: str) -> None:
    """Tell it on standard error."""
    print(text, file=sys.stderr, flush=True)
