"""What the variants of an experiment share: all that none of them changes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

SHA256 = re.compile(r'"[0-9a-f]{64}"')


def flat(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A configuration as dotted paths and values; ``init_args`` is implied, as in variants."""
    if isinstance(node, dict):
        for key, value in node.items():
            inner = path if key == "init_args" else f"{path}.{key}" if path else key
            yield from flat(value, inner)
    else:
        yield path, node


def base_of(
    config: Mapping[str, Any], varied: Iterable[str], places: Iterable[str]
) -> dict[str, Any]:
    """What is left of a configuration, as dotted paths and values.

    Args:
        config: of one run, resolved.
        varied: dotted paths that some variant sets.
        places: arguments of the data that say where files lie.
    """
    left_out = {
        *(path.replace(".init_args", "") for path in varied),
        *(f"data.{place}" for place in places),
    }
    return {
        path: value
        for path, value in flat(dict(config))
        if not any(path == other or path.startswith(f"{other}.") for other in left_out)
    }


def difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The first path whose value is another, and both values; None where there is none."""
    for key in sorted({*then, *now}):
        if then.get(key) != now.get(key):
            return f"{key} was {_shown(then, key)} and is {_shown(now, key)}"
    return None


def _shown(values: Mapping[str, Any], key: str) -> str:
    if key not in values:
        return "not there"
    text = json.dumps(values[key])
    return f"{text[:13]}...{text[-1]}" if SHA256.fullmatch(text) else text
