"""The code of a user's own classes, which no commit of this package knows of."""

import hashlib
import sys
import sysconfig
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.classes import class_paths

PACKAGE = "mocha_lightning"


def own_classes(config: Any) -> list[str]:
    """Import paths of the classes in a configuration that were not installed as a package."""
    return sorted({path for path in class_paths(config) if _file(path) is not None})


def source_hashes(config: Any) -> dict[str, str]:
    """SHA-256 of the module of each of the user's own classes, so that a change of it is seen.

    What such a module imports in its turn is not looked at.
    """
    return {module: sha256_of(file) for module, file in source_files(config).items()}


def source_files(config: Any) -> dict[str, Path]:
    """The file of each of those modules."""
    files = {path.rpartition(".")[0]: _file(path) for path in own_classes(config)}
    return {module: file for module, file in files.items() if file is not None}


def unknown_module(config: Any, recorded: Mapping[str, str]) -> str | None:
    """The first module of the user's own, if any, whose SHA-256 is not what was recorded of it.

    Nothing is imported: what another has written is known before it could be executed. A module
    that is not there is none; whoever imports it will say so.

    Args:
        config: names classes.
        recorded: what :func:`source_hashes` has found.
    """
    for path in class_paths(config):
        module = path.rpartition(".")[0]
        file = _unimported(module)
        if file is not None and recorded.get(module) != sha256_of(file):
            return module
    return None


def _unimported(name: str) -> Path | None:
    """As :func:`_file` of a module that nobody has imported, which is looked for where it lies."""
    first, *rest = name.split(".")
    if first == PACKAGE:
        return None
    found = None
    try:
        spec, whole = find_spec(first), first
        while spec is not None:
            if spec.has_location and spec.origin is not None:
                found = Path(spec.origin)
            if not rest or spec.submodule_search_locations is None:
                break
            # The usual search for a module in a package would import the package.
            whole = f"{whole}.{rest.pop(0)}"
            spec = PathFinder.find_spec(whole, spec.submodule_search_locations)
    except (ImportError, ValueError):  # no name of a module
        return None
    return None if found is None else _own(found)


def _file(class_path: str) -> Path | None:
    """The file of a class's module; None of this package's and of installed ones."""
    name = class_path.rpartition(".")[0]
    module = sys.modules.get(name) or import_module(name)
    if name.partition(".")[0] == PACKAGE or not getattr(module, "__file__", None):
        return None
    return _own(Path(str(module.__file__)))


def _own(file: Path) -> Path | None:
    """The file with no links; None of one that was installed."""
    file = file.resolve()
    installed = (Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib"))
    return None if any(file.is_relative_to(place) for place in installed) else file


def sha256_of(file: Path) -> str:
    """SHA-256 of what is in a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
