"""Classes named by import path in a configuration, as ``{class_path: ..., init_args: {...}}``."""

import inspect
import math
import re
import typing
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from mocha_lightning.errors import in_a_line
from mocha_lightning.experiment.document import Keys
from mocha_lightning.experiment.mistakes import ConfigError, hint

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def parameters(cls: type) -> dict[str, inspect.Parameter]:
    """The constructor's named arguments, those included that it passes on to a parent's."""
    found: dict[str, inspect.Parameter] = {}
    for base in cls.__mro__:
        if "__init__" not in vars(base):
            continue
        own = list(inspect.signature(vars(base)["__init__"]).parameters.values())[1:]
        named = {each.name: each for each in own if each.kind not in _VARIADIC}
        found = {**named, **found}
        if all(each.kind != inspect.Parameter.VAR_KEYWORD for each in own):
            break
    return found


def find_class(class_path: object, keys: Keys) -> type:
    """Import a class.

    Raises:
        ConfigError: there is no such class, or its module cannot be imported.
    """
    here = (*keys, "class_path")
    if not isinstance(class_path, str) or "." not in class_path:
        raise ConfigError(here, f"{class_path!r} is no import path: write package.module.Class")
    module_path, _, name = class_path.rpartition(".")
    try:
        module = import_module(module_path)
    except ModuleNotFoundError as error:
        if error.name is not None and module_path.startswith(error.name):
            raise ConfigError(
                here,
                f"there is no module {error.name}: check the path (a file of your own must be in "
                "the current folder)",
            ) from error
        raise ConfigError(here, f"importing {module_path} failed: {error}: install it") from error
    except (Exception, SystemExit) as error:
        problem = in_a_line(error)
        raise ConfigError(here, f"importing {module_path} failed: {problem}: mend it") from error
    found = getattr(module, name, None)
    if not isinstance(found, type):
        # Not vars: a module may import what it has when it is asked for.
        classes = [each for each in dir(module) if isinstance(getattr(module, each, None), type)]
        raise ConfigError(here, f"{module_path} has no class {name}: {hint(name, classes)}")
    return found


def check_class(node: object, keys: Keys) -> None:
    """Check that a class is there and has the arguments, and so on for those within them."""
    if not isinstance(node, dict) or "class_path" not in node:
        raise ConfigError(keys, "must name a class: write {class_path: ..., init_args: {...}}")
    for key in node:
        if key not in ("class_path", "init_args"):
            raise ConfigError(
                (*keys, key), "is no key here: arguments of the class go in init_args"
            )
    arguments = node.get("init_args", {})
    if not isinstance(arguments, dict):
        raise ConfigError((*keys, "init_args"), "must be a mapping from argument to value")
    cls = find_class(node["class_path"], keys)
    known = parameters(cls)
    for name, value in arguments.items():
        here = (*keys, "init_args", name)
        if name not in known:
            raise ConfigError(here, f"{cls.__name__} has no argument {name}: {hint(name, known)}")
        if value is None and not _takes_none(known[name]):
            raise ConfigError(here, f"is empty, but must be {type_name(known[name])}: give a value")
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(here, f"is {value}, but must be a finite number: change it")
        for inner, place in _class_nodes(value, here):
            check_class(inner, place)


def names_class(path: str) -> bool:
    """Whether a dotted path is that of a class, as ``task.class_path`` is."""
    return path.endswith(".class_path")


def class_paths(node: object) -> Iterator[str]:
    """Import paths of all classes in a configuration, or in what a variant changes of one."""
    if isinstance(node, dict):
        for key, value in node.items():
            if str(key).rpartition(".")[2] == "class_path":
                yield str(value)
            else:
                yield from class_paths(value)


def _class_nodes(value: object, keys: Keys) -> Iterator[tuple[object, Keys]]:
    if isinstance(value, dict) and "class_path" in value:
        yield value, keys
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _class_nodes(item, (*keys, place))


def _takes_none(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    return (
        parameter.default is None
        or annotation in (Any, object, None, inspect.Parameter.empty)
        or isinstance(annotation, str)
        or type(None) in typing.get_args(annotation)
    )


def type_name(parameter: inspect.Parameter) -> str:
    """The type of an argument as a user would write it."""
    text = inspect.formatannotation(parameter.annotation)
    return re.sub(r"\b(?:typing|collections\.abc|mocha_lightning(?:\.\w+)*)\.", "", text)
