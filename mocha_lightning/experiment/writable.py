"""Whether a folder can be filled, known before there is anything to put into it."""

from pathlib import Path
from tempfile import TemporaryFile

from mocha_lightning.errors import UserError


def check_writable(folder: Path, option: str) -> None:
    """Check a folder, which may not exist yet.

    Args:
        folder: the folder.
        option: of the command line, by which another one is chosen.

    Raises:
        UserError: it, or the one that it would be made in, cannot be written to.
    """
    place = folder
    try:
        place = existing(folder)
        # What permissions say is not all: some file systems take no files.
        with TemporaryFile(dir=place):
            pass
    except OSError:
        raise UserError(
            f"{place}: cannot be written to: choose another folder with {option}"
        ) from None


def existing(folder: Path) -> Path:
    """The folder itself, or the nearest one above it that exists.

    Raises:
        OSError: nobody can tell, as of a name that is too long.
    """
    # A link to nowhere is there: no folder can be made in its place.
    while not (folder.exists() or folder.is_symlink()):
        folder = folder.parent
    return folder
