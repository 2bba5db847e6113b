"""What differs from the paper: arguments whose value is not the paper's."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from mocha_lightning.experiment.classes import class_paths, find_class, parameters
from mocha_lightning.experiment.plain import plain
from mocha_lightning.experiment.sources import own_classes

Departure = tuple[str, Any, Any]
"""An argument's dotted path, its value here, the paper's."""


def departures(task: dict[str, Any]) -> Iterator[Departure]:
    """Every argument of a task, and of the classes within it, that is not the paper's.

    The paper's value is the argument's default, unless the task says in its ``paper_arguments``
    that the paper gives the mechanism another for that task.

    Args:
        task: class_path and init_args, resolved.
    """
    told = getattr(find_class(task["class_path"], ("task",)), "paper_arguments", {})
    yield from _departures(task, "task", told)


def _departures(
    node: dict[str, Any], path: str, told: Mapping[type, Mapping[str, Any]]
) -> Iterator[Departure]:
    if not node["class_path"].startswith("mocha_lightning."):
        # The defaults of a user's own class are no numbers of the paper's.
        return
    cls = find_class(node["class_path"], (path,))
    if not getattr(cls, "of_the_paper", True):
        return
    known = parameters(cls)
    none_means = getattr(cls, "none_means", {})
    for name, here in node["init_args"].items():
        key = f"{path}.{name}"
        default = known[name].default if name in known else inspect.Parameter.empty
        default = told.get(cls, {}).get(name, default)
        if default is inspect.Parameter.empty:
            # Required, so the paper's choice is not known here; but a class has defaults within.
            if _is_class(here):
                yield from _departures(here, key, told)
            continue
        paper = plain(default)
        if _is_class(here) and _is_class(paper) and _same_class(here, paper):
            for inner, value in here["init_args"].items():
                if value != paper["init_args"].get(inner):
                    yield f"{key}.{inner}", value, paper["init_args"].get(inner)
        elif here != paper:
            meaning = none_means.get(name)
            yield key, meaning if here is None else here, meaning if paper is None else paper


def strangers(config: dict[str, Any]) -> Iterator[str]:
    """A sentence for each class that is not the paper's."""
    own = own_classes(config)
    for path in sorted(set(class_paths(config))):
        if path in own:
            yield f"{path} is not of this suite"
        elif not getattr(find_class(path, ()), "of_the_paper", True):
            yield f"{path} is no mechanism of the paper"


def _is_class(value: Any) -> bool:
    return isinstance(value, dict) and "class_path" in value


def _same_class(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return find_class(one["class_path"], ()) is find_class(other["class_path"], ())
