"""An experiment file may stand on another: what that one compares with, this one keeps."""

from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.document import Document, read_document

BASE = "base"
"""The key that names the other file, from the folder of the file that it stands in."""
INHERITED = ("task", "data", "trainer", "seeds", "metric", "threads")
"""What is taken from it, whole, where the file itself does not say otherwise."""


def read_with_base(path: Path, above: tuple[Path, ...] = ()) -> Document:
    """Read a file together with the one that it names as its base, which may have one too.

    Args:
        path: the file.
        above: the files that stand on it.

    Raises:
        UserError: as :func:`read_document`; a base that is no path, or that stands on itself.
    """
    document = read_document(path)
    if BASE not in document.data:
        return document
    named = document.data[BASE]
    if not isinstance(named, str) or not named:
        raise UserError(f"{document.where((BASE,))}: must be the path of another experiment file")
    other = path.parent / named
    if other.resolve() in {each.resolve() for each in (*above, path)}:
        raise UserError(f"{document.where((BASE,))}: {other} stands on this file: name another")
    if not other.is_file():
        raise UserError(
            f"{document.where((BASE,))}: {other} is no file: give the path from this file's folder"
        )
    base = read_with_base(other, (*above, path))
    taken = [key for key in INHERITED if key in base.data and key not in document.data]
    own = {key: value for key, value in document.data.items() if key != BASE}
    inherited = {keys: place for keys, place in base.places.items() if keys and keys[0] in taken}
    return Document(
        path, {**{key: base.data[key] for key in taken}, **own}, {**inherited, **document.places}
    )
