"""What a reader is shown: a configured value, and the columns of a table."""

import json
from collections.abc import Iterable
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
