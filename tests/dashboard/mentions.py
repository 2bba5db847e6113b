"""Which names a workspace or a report mentions, found in what W&B would be sent."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple


class Mention(NamedTuple):
    """A name, and where it must be for W&B to find it."""

    kind: str
    """``history``, ``summary``, ``config`` or ``run``."""
    name: str


def panels_of(spec: Any) -> Iterator[dict[str, Any]]:
    """Every panel, wherever it is."""
    if isinstance(spec, dict):
        if "viewType" in spec:
            yield spec
        spec = list(spec.values())
    if isinstance(spec, list):
        for each in spec:
            yield from panels_of(each)


def mentions_of(spec: Any) -> set[Mention]:
    """Every name in panels, filters, groups and order."""
    found = set(_keys(spec))
    for panel in panels_of(spec):
        found |= set(_mentions(panel["viewType"], panel["config"]))
    return found


def titles_of(spec: Any) -> list[str]:
    """The panels' titles; of a table, its name."""
    return [
        panel["config"].get("chartTitle") or next(iter(_mentions("Weave", panel["config"]))).name
        for panel in panels_of(spec)
    ]


def _mentions(view: str, config: dict[str, Any]) -> Iterator[Mention]:
    if "groupBy" in config:
        yield Mention("run", config["groupBy"])
    match view:
        case "Run History Line Plot":
            yield from (Mention("history", each) for each in (config["xAxis"], *config["metrics"]))
        case "Bar Chart":
            yield from (Mention("summary", each) for each in config["metrics"])
        case "Scatter Plot":
            yield from (_of_column(config[each]) for each in ("xAxis", "yAxis"))
        case "Parallel Coordinates Plot":
            yield from (_of_column(each["accessor"]) for each in config["columns"])
        case "Media Browser":
            yield from (Mention("history", each) for each in config["mediaKeys"])
        case "Weave":
            # The table that is picked from the summaries is the outermost operation's key.
            picked = config["panel2Config"]["exp"]["fromOp"]
            yield Mention("summary", picked["inputs"]["key"]["val"])
        case _:
            raise AssertionError(f"what does {view} mention? {json.dumps(config)}")


def _of_column(accessor: str) -> Mention:
    kind, _, name = accessor.partition(":")
    # W&B has each value of the configuration under the first part of its name.
    return Mention(kind, name.replace(".value", "", 1) if kind == "config" else name)


def _keys(spec: Any) -> Iterator[Mention]:
    if isinstance(spec, dict):
        if set(spec) == {"section", "name"}:
            yield Mention(spec["section"], spec["name"])
        spec = list(spec.values())
    if isinstance(spec, list):
        for each in spec:
            yield from _keys(each)
