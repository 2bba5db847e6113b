"""A mistake at some key of a configuration, and hints at what was meant."""

from collections.abc import Iterable
from difflib import get_close_matches

from mocha_lightning.experiment.document import Keys


class ConfigError(Exception):
    """Something wrong at a key, before it is known which file and line set that key.

    Args:
        keys: the way to the key in the configuration.
        problem: what is wrong and what to do.
    """

    def __init__(self, keys: Keys, problem: str) -> None:
        super().__init__(problem)
        self.keys = keys
        self.problem = problem


def hint(name: str, known: Iterable[str]) -> str:
    """What may have been meant: ``did you mean chunk_size?``, or all that there is."""
    names = sorted(known)
    close = get_close_matches(name, names, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"there is {', '.join(names)}" if names else "there is none"
