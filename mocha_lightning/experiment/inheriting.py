"""An experiment file may stand on another, and change what all its variants share."""

import stat
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.document import Document, read_document
from mocha_lightning.experiment.layers import NO_EFFECT, PARTS, change, without_effect
from mocha_lightning.experiment.mistakes import ConfigError

BASE = "base"
"""The key that names the other file, from the folder of the file that it stands in."""
SET = "set"
"""The key whose values are set in the base, by dotted paths, for all variants."""
INHERITED = ("task", "data", "trainer", "seeds", "metric", "threads", "published")
"""What is taken from it, whole, where the file itself does not say otherwise."""
COMPARED = ("variants", "comparisons")
"""What is taken besides by a file that names no variants: the same comparison of something else."""


def read_whole(path: Path) -> Document:
    """Read a file together with its base, which may have one too, and set what it sets there.

    Raises:
        UserError: as :func:`read_document`; a base that is no path, or that stands on itself; a
            path to set that leads nowhere, or that every variant sets.
    """
    document = _with_base(path, ())
    whole = _with_settings(document)
    _check_effect(document)
    return whole


def _check_effect(document: Document) -> None:
    """Refuse to set what every variant sets itself; a base may set it for other files' variants."""
    variants = document.data.get("variants")
    if SET in document.data and isinstance(variants, dict):
        own = [each for each in variants.values() if isinstance(each, dict)]
        if len(own) == len(variants) and (key := without_effect(document.data[SET], own)):
            raise UserError(f"{document.where((SET, key))}: {NO_EFFECT}")


def _with_base(path: Path, above: tuple[Path, ...]) -> Document:
    document = read_document(path)
    if BASE not in document.data:
        return document
    named = document.data[BASE]
    if not isinstance(named, str) or not named:
        raise UserError(f"{document.where((BASE,))}: must be the path of another experiment file")
    other = path.parent / named
    try:
        there = stat.S_ISREG(other.stat().st_mode)
    except (OSError, ValueError):  # a name too long; one that no file can have
        there = False
    if not there:
        raise UserError(
            f"{document.where((BASE,))}: {other} is no file: give the path from this file's folder"
        )
    if any(other.samefile(each) for each in (*above, path)):
        raise UserError(f"{document.where((BASE,))}: {other} stands on this file: name another")
    base = _with_settings(_with_base(other, (*above, path)))
    keys_of_base = INHERITED if "variants" in document.data else (*INHERITED, *COMPARED)
    taken = [key for key in keys_of_base if key in base.data and key not in document.data]
    own = {key: value for key, value in document.data.items() if key != BASE}
    inherited = {keys: place for keys, place in base.places.items() if keys and keys[0] in taken}
    return Document(
        path,
        {**{key: base.data[key] for key in taken}, **own},
        {**inherited, **document.places},
        {**document.files, **base.files},
    )


def _with_settings(document: Document) -> Document:
    if SET not in document.data:
        return document
    values = document.data[SET]
    if not isinstance(values, dict) or not values:
        raise UserError(
            f"{document.where((SET,))}: must map dotted paths, such as task.energy_dim, to values"
        )
    base = {part: document.data[part] for part in PARTS if part in document.data}
    try:
        changed = change(base, values)
    except ConfigError as mistake:
        (path,) = mistake.keys
        whole = (
            f", or write {path} beside {SET}, which replaces the base's" if path in PARTS else ""
        )
        raise UserError(f"{document.where((SET, path))}: {mistake.problem}{whole}") from mistake
    others = {key: value for key, value in document.data.items() if key != SET}
    places = dict(document.places)
    for keys, path in changed.origins.items():
        written = (SET, path)
        if keys[-1] == "class_path":  # what is wrong with the class is wrong there
            places[keys[:-1]] = document.places[written]
        for inner, place in document.places.items():
            if inner[: len(written)] == written:
                places[(*keys, *inner[len(written) :])] = place
    return Document(document.path, {**others, **changed.config}, places, document.files)
