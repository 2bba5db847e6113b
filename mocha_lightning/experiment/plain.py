"""Any configured value as plain JSON has it."""

import inspect
from enum import Enum
from pathlib import Path
from typing import Any

from jsonargparse import Namespace

from mocha_lightning.experiment.classes import parameters


def plain(value: Any) -> Any:
    """A value as JSON has it; objects become their class and the arguments they keep."""
    if isinstance(value, Namespace):
        return plain(value.as_dict())
    if isinstance(value, dict) and "class_path" in value:
        arguments = plain(value.get("init_args", {}))
        return {"class_path": value["class_path"], "init_args": arguments}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Path):
        return str(value)
    if inspect.isroutine(value) or isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    kind = type(value)
    kept = {name: getattr(value, name) for name in parameters(kind) if hasattr(value, name)}
    return {"class_path": f"{kind.__module__}.{kind.__qualname__}", "init_args": plain(kept)}
