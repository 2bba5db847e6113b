"""What a reader is shown: a configured value, the name of its place, and the columns of a table."""

import json
from collections.abc import Container, Iterable, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text


def shown(value: Any) -> str:
    """A value as short as can be: a class as ``MoChA(chunk_size=2)``."""
    if isinstance(value, dict) and "class_path" in value:
        name = str(value["class_path"]).rpartition(".")[2]
        inner = value.get("init_args", {}).items()
        return f"{name}({', '.join(f'{key}={shown(each)}' for key, each in inner)})"
    return json.dumps(value)


def short_names(paths: Sequence[str], taken: Container[str] = ()) -> dict[str, str]:
    """By dotted path, its last parts: as few as tell it from all others.

    Args:
        paths: all of them.
        taken: what none is called, unless by its whole path.
    """
    names = {}
    for path in paths:
        parts = path.split(".")
        ends = (".".join(parts[-number:]) for number in range(1, len(parts)))
        others = [other for other in paths if other != path]
        alone = (
            end
            for end in ends
            if end not in taken
            and not any(other == end or other.endswith(f".{end}") for other in others)
        )
        names[path] = next(alone, path)
    return names


def columns(left: Iterable[str], right: Iterable[str]) -> Table:
    """An open table without rows.

    Args:
        left: titles of columns of words.
        right: titles of columns of numbers, which come after.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    for title in left:
        table.add_column(Text(title))
    for title in right:
        table.add_column(Text(title), justify="right")
    return table
