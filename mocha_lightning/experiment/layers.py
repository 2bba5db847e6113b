"""What a variant or ``--set`` changes in a configuration, by dotted paths."""

import inspect
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import inf
from typing import Any

from mocha_lightning.experiment.base import without_init_args
from mocha_lightning.experiment.classes import find_class, names_class, parameters
from mocha_lightning.experiment.document import Keys, dotted
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.plain import plain

Config = dict[str, Any]
"""``task`` and ``data`` as class_path and init_args, ``trainer`` as arguments of the Trainer."""

PARTS = ("task", "data", "trainer")


@dataclass(frozen=True)
class Changed:
    """A configuration with some values set.

    Attributes:
        config: the whole configuration.
        origins: the place of each value that was set, with the dotted path that set it.
    """

    config: Config
    origins: dict[Keys, str]

    def origin(self, keys: Keys) -> tuple[str, Keys] | None:
        """Which dotted path set the value at some keys, and what is left of the keys there.

        A class's node as a whole is of whoever named the class.
        """
        for length in range(len(keys), 0, -1):
            if keys[:length] in self.origins:
                return self.origins[keys[:length]], keys[length:]
        named = self.origins.get((*keys, "class_path"))
        return None if named is None else (named, ())


def without_effect(values: Iterable[str], variants: Iterable[Iterable[str]]) -> str | None:
    """The first dotted path, if any, of values to set that every variant sets itself.

    Args:
        values: paths that are set in the base.
        variants: the paths that each variant sets.
    """
    own = [[*map(without_init_args, variant)] for variant in variants]
    for key in values:
        plain_key = without_init_args(key)
        if own and all(
            any(plain_key == path or plain_key.startswith(f"{path}.") for path in paths)
            for paths in own
        ):
            return key
    return None


NO_EFFECT = "has no effect, since every variant sets it: change the variants"
"""What is said of such a path."""


def change(base: Config, values: Mapping[str, Any]) -> Changed:
    """Set values by dotted paths such as ``task.attention.chunk_size`` (init_args is implied).

    Where a path sets a ``class_path``, the new class takes the old one's value of every argument
    that both have, and those that it does not have drop away: the class is all that differs. What
    other paths set is set after that, in the new class.

    Raises:
        ConfigError: a path that leads nowhere or lies within another, a class that is not there;
            its keys are the path.
    """
    config = deepcopy(base)
    origins: dict[Keys, str] = {}
    for path, value in sorted(values.items(), key=_turn):
        for other in values:
            if path != other and without_init_args(path) == without_init_args(other):
                raise ConfigError((path,), f"sets what {other} sets too: remove one")
            if path.startswith(f"{other}."):
                raise ConfigError((path,), f"lies within {other}, set here too: write it in there")
        origins[_set(config, path, deepcopy(value))] = path
    return Changed(config, origins)


def _turn(item: tuple[str, Any]) -> float:
    """Classes go before values, and before the classes within them."""
    return item[0].count(".") if names_class(item[0]) else inf


def _set(config: Config, path: str, value: Any) -> Keys:
    first, *rest = path.split(".")
    if first in PARTS and not rest:
        argument = "trainer.max_steps" if first == "trainer" else f"{first}.class_path"
        raise ConfigError(
            (path,),
            f"is all of {first}: set {argument} and the other arguments one by one",
        )
    if first not in PARTS:
        raise ConfigError(
            (path,), f"must begin with {', '.join(PARTS)} and a dot, as in task.attention"
        )
    keys: Keys = (first,)
    node = config.get(first)
    for name in rest[:-1]:
        keys, node = enter(keys, node, name, path)
        if name not in node:
            raise ConfigError((path,), f"the base has no {dotted((*keys, name))} to set this in")
        keys, node = (*keys, name), node[name]
    keys, node = enter(keys, node, rest[-1], path)
    if names_class(path) and "class_path" in node:
        _take_over(node, value, path)
    node[rest[-1]] = value
    return (*keys, rest[-1])


def _take_over(node: dict[str, Any], new: Any, path: str) -> None:
    """Leave a class's arguments, its defaults written out, as far as a new class has them."""
    had, has = _parameters(node["class_path"], path), _parameters(new, path)
    arguments = node.get("init_args", {})
    if not isinstance(arguments, dict):
        return
    defaults = {
        name: plain(parameter.default)
        for name, parameter in had.items()
        if parameter.default is not inspect.Parameter.empty
    }
    node["init_args"] = {
        name: value
        for name, value in {**defaults, **arguments}.items()
        # What neither has is a mistake, to be found where it was written.
        if name in has or name not in had
    }


def _parameters(class_path: Any, path: str) -> dict[str, inspect.Parameter]:
    try:
        return parameters(find_class(class_path, ()))
    except ConfigError as mistake:
        raise ConfigError((path,), mistake.problem) from mistake


def enter(keys: Keys, node: Any, name: str, path: str) -> tuple[Keys, dict[str, Any]]:
    """The mapping in which a name is looked up: a class's arguments, or the mapping itself."""
    if isinstance(node, dict) and "class_path" in node and name not in ("class_path", "init_args"):
        inner = node.setdefault("init_args", {})
        keys, node = (*keys, "init_args"), inner
    if not isinstance(node, dict):
        raise ConfigError((path,), f"{dotted(keys)} is no class or mapping: nothing is in it")
    return keys, node
