"""What the variants of an experiment share: all that none of them changes."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from mocha_lightning.experiment.classes import names_class

SHA256 = re.compile(r'"[0-9a-f]{64}"')


class Configured(Protocol):
    """A run, to be done or done."""

    @property
    def config(self) -> dict[str, Any]:
        """Its configuration, resolved."""

    @property
    def places(self) -> tuple[str, ...]:
        """Arguments of the data that say where files lie."""


def flat(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A configuration as dotted paths and values; ``init_args`` is implied, as in variants."""
    if isinstance(node, dict):
        for key, value in node.items():
            inner = path if key == "init_args" else f"{path}.{key}" if path else key
            yield from flat(value, inner)
    else:
        yield path, node


def without_init_args(path: str) -> str:
    """A dotted path as :func:`flat` has it; one may also be written with every ``init_args``."""
    return path.replace(".init_args", "")


def deciding(config: Mapping[str, Any], places: Iterable[str], **others: Any) -> dict[str, Any]:
    """All that decides the numbers of a run.

    Args:
        config: the run's, resolved.
        places: arguments of the data that say where files lie, which decide nothing.
        others: what decides them beside the configuration.
    """
    data = dict(config["data"])
    arguments = data.get("init_args", {}).items()
    data["init_args"] = {key: value for key, value in arguments if key not in places}
    return {**config, "data": data, **others}


def hash_of(decisive: Mapping[str, Any]) -> str:
    """SHA-256 of what :func:`deciding` gives."""
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


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
        *(without_init_args(path) for path in varied),
        *(f"data.{place}" for place in places),
    }
    return {
        path: value
        for path, value in flat(dict(config))
        if not any(path == other or path.startswith(f"{other}.") for other in left_out)
    }


def base_difference(then: Configured, now: Configured, varied: Iterable[str]) -> str | None:
    """How two runs differ in what no variant changes; None where they do not.

    Where variants name classes of their own (``task.class_path``), the arguments that only one of
    two classes has differ with the class; those that both have must be equal.

    Args:
        then: a run.
        now: another.
        varied: dotted paths that some variant sets.
    """
    varied = set(varied)
    for path in filter(names_class, tuple(varied)):
        varied |= _of_one_class(then.config, now.config, path.removesuffix("class_path"))
    return difference(*(base_of(run.config, varied, run.places) for run in (then, now)))


def _of_one_class(then: Mapping[str, Any], now: Mapping[str, Any], place: str) -> set[str]:
    """Paths of the arguments that only one of two classes at a place (``task.``) has."""
    flats = [dict(flat(dict(config))) for config in (then, now)]
    place = without_init_args(place)
    if len({each.get(f"{place}class_path") for each in flats}) == 1:
        return set()
    inner = (
        {path.removeprefix(place).split(".")[0] for path in each if path.startswith(place)}
        for each in flats
    )
    return {place + name for name in set.symmetric_difference(*inner)}


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
