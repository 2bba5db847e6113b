"""The code that a cluster's nodes may lack: this package, and modules of the user's own."""

import json
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.commit import PACKAGE, SHIPPED


def pack(into: Path, modules: Mapping[str, Path], origin: Mapping[str, Any]) -> None:
    """Lay code into a folder as Python finds it there.

    That is this package, unless it was installed as others are; the modules given; and of those
    that they have imported, the ones below the current folder.

    Args:
        into: the folder.
        modules: of the user's own classes, by name.
        origin: the commit of all that; results tell it.
    """
    if not PACKAGE.is_relative_to(sysconfig.get_path("purelib")):
        shutil.copytree(PACKAGE, into / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        (into / PACKAGE.name / SHIPPED).write_text(json.dumps(dict(origin)))
        told = distribution("mocha-lightning")
        about = into / f"mocha_lightning-{told.version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Name: mocha-lightning\nVersion: {told.version}\n")
    for name, file in {**_here(), **modules, **_parents(modules)}.items():
        place = into.joinpath(*name.split("."))
        place = place / file.name if file.name == "__init__.py" else place.with_suffix(".py")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)


def _here() -> dict[str, Path]:
    """The modules below the current folder that are no package's that lies there."""
    folder = Path.cwd().resolve()
    found = {}
    for name in list(sys.modules):
        file = _file(name)
        if file is None or not file.is_relative_to(folder):
            continue
        inner = file.relative_to(folder).parts
        if not any(part.startswith(".") or part == "site-packages" for part in inner):
            found[name] = file
    return found


def _parents(modules: Mapping[str, Path]) -> dict[str, Path]:
    """The packages that modules lie in."""
    names = {
        ".".join(name.split(".")[:depth])
        for name in modules
        for depth in range(1, name.count(".") + 1)
    }
    files = {name: _file(name) for name in names}
    return {name: file for name, file in files.items() if file is not None}


def _file(name: str) -> Path | None:
    """The file of an imported module that is not this package's."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if name.partition(".")[0] in (PACKAGE.name, "__main__", "__mp_main__") or not file:
        return None
    # Some modules that are made as a program runs claim a file that is not there.
    path = Path(file)
    return path.resolve() if path.suffix == ".py" and path.is_absolute() else None
