"""The one exception for what a user can mend."""


class UserError(Exception):
    """A mistake in what the user gave: a file, a key, a flag, a corpus.

    Its text is one line that says what was wrong, where (file, line, key) and what to do.
    The command line prints it without a traceback and ends with exit code 2.
    """
