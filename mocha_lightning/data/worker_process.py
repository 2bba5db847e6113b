"""A process that does one call after the other for another process; see ``workers.py``.

This file is run as a script. It imports the standard library alone, and so starts at once; what
the calls need it imports when the first one comes. On standard input come, pickled, where modules
are found and then the calls, each a function and its argument; on standard output go the answers:
whether the call succeeded, with its result, or with the error and whether a user can mend it.
It ends with its input, and so with the process that it works for.
"""

import os
import pickle
import sys
import traceback
from typing import Any


def main() -> None:
    """Answer calls until there are no more."""
    calls = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not come between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        sys.path[:] = pickle.load(calls)
        while True:
            function, argument = pickle.load(calls)
            pickle.dump(answer(function, argument), answers)
            answers.flush()
    except (EOFError, pickle.UnpicklingError, BrokenPipeError):
        # The other process has ended, perhaps in the middle of a call. Nobody reads what is left.
        os._exit(0)


def answer(function: Any, argument: Any) -> tuple[str, Any]:
    """What came of a call."""
    from mocha_lightning.errors import UserError

    try:
        return "result", function(argument)
    except UserError as error:
        return "mistake", str(error)
    except Exception:
        return "failure", traceback.format_exc()


if __name__ == "__main__":
    main()
