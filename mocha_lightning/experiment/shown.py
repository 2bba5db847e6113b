"""A configured value as a reader is told it."""

import json
from typing import Any


def shown(value: Any) -> str:
    """A value as short as can be: a class as ``MoChA(chunk_size=2)``."""
    if isinstance(value, dict) and "class_path" in value:
        name = str(value["class_path"]).rpartition(".")[2]
        inner = value.get("init_args", {}).items()
        return f"{name}({', '.join(f'{key}={shown(each)}' for key, each in inner)})"
    return json.dumps(value)
