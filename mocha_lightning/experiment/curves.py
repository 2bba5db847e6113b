"""Reading ``curves.jsonl``, of which a run that is killed, or a full disk, leaves half a line."""

import json
from pathlib import Path
from typing import Any


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of all whole lines, each with its step; none where there is no file."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [record for line in lines if (record := _record(line)) is not None]


def _record(line: str) -> dict[str, Any] | None:
    """A line's; None for half a line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("step"), int) else None
