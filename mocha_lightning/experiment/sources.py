"""The code of a user's own classes, which no commit of this package knows of."""

import hashlib
import sys
import sysconfig
from importlib import import_module
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
    files = {path.rpartition(".")[0]: _file(path) for path in own_classes(config)}
    return {
        module: hashlib.sha256(file.read_bytes()).hexdigest()
        for module, file in files.items()
        if file is not None
    }


def _file(class_path: str) -> Path | None:
    """The file of a class's module; None of this package's and of installed ones."""
    name = class_path.rpartition(".")[0]
    module = sys.modules.get(name) or import_module(name)
    if name.partition(".")[0] == PACKAGE or not getattr(module, "__file__", None):
        return None
    file = Path(str(module.__file__)).resolve()
    installed = (Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib"))
    return None if any(file.is_relative_to(place) for place in installed) else file
