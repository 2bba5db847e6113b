"""The exceptions that are dealt with far from where they are raised."""


class UserError(Exception):
    """A mistake in what the user gave: a file, a key, a flag, a corpus.

    Its text is one line that says what was wrong, where (file, line, key) and what to do.
    The command line prints it without a traceback and ends with exit code 2.
    """


class NotANumberError(ValueError):
    """A computation has gone wrong: some number is NaN. Ends a run as diverged."""


class ProcessError(Exception):
    """One of the processes that do a run together has ended, and so the run cannot go on.

    Args:
        text: one line that says which, and why.
        lost: whether it was killed, which may not come again.
    """

    def __init__(self, text: str, lost: bool) -> None:
        super().__init__(text)
        self.lost = lost


class DivergedError(Exception):
    """The training came to what is no number.

    Args:
        step: the updates made before it.
        what: what was none.
    """

    def __init__(self, step: int, what: str) -> None:
        super().__init__(f"{what} at step {step}")
        self.step = step
        self.what = what


class GivenUpError(Exception):
    """A run's sweep has seen enough of it. The run ends there and has not failed."""


def in_a_line(error: BaseException) -> str:
    """Any exception in one line, for words of one's own to stand around."""
    return " ".join(f"{type(error).__name__}: {error}".split())
