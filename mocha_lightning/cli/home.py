"""The user's home folder, which libraries look for as soon as they are loaded."""

import os

from mocha_lightning.errors import UserError


def check_home() -> None:
    """Check that there is one, though it may be read only or not exist.

    Raises:
        UserError: there is none, as for a number in a container that is no user there.
    """
    if os.path.expanduser("~") == "~":  # noqa: PTH111 (pathlib's raises where this tells)
        raise UserError(
            "there is no home folder: HOME is not set and the system knows no user "
            f"{os.getuid()}: set HOME to a folder that can be written to"
        )
