"""From a configuration as written to one with every default, and from that to objects.

jsonargparse checks the types of all arguments, at every depth, and builds the objects. What a
user sees of a mistake is said here, in a line.
"""

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import pytorch_lightning as pl
from jsonargparse import ArgumentError, ArgumentParser, Namespace

from mocha_lightning.data.base import DataModule
from mocha_lightning.experiment.classes import check_class, find_class, parameters, type_name
from mocha_lightning.experiment.document import Keys
from mocha_lightning.experiment.layers import Config
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.plain import plain
from mocha_lightning.experiment.trainer import TRAINER_DEFAULTS, TRAINER_KEYS, check_trainer
from mocha_lightning.shares import WHOLE, Share
from mocha_lightning.training.task import Task

TaskFactory = Callable[[Any], Task]
"""Builds a task from what the corpus says of itself (``DataModule.spec``)."""


def resolve(config: Config) -> Config:
    """Check a configuration and fill in every default.

    Returns:
        The same as plain JSON values. Arguments of the Trainer that repeat a default are left
        out, so that a new default of Lightning's does not make an old configuration another.

    Raises:
        ConfigError: a class that is not there or of another kind, an argument that it does not have
            or lacks, a value of another type.
    """
    for part in ("task", "data"):
        check_class(config.get(part), (part,))
    trainer = check_trainer(config.get("trainer"))
    parsed = _parse(config, _parser())
    full = plain(parsed.as_dict())
    defaults = {**plain(_parser().get_defaults().as_dict())["trainer"], **TRAINER_DEFAULTS}
    full["trainer"] = {
        key: full["trainer"][key] for key in trainer if full["trainer"][key] != defaults[key]
    }
    return cast(Config, full)


def instantiate(config: Config) -> tuple[TaskFactory, DataModule]:
    """Build the data module and what will build the task, from a resolved configuration."""
    built = _parser().instantiate(_parse(config, _parser()))
    return built.task, built.data


def open_data(config: Config, seed: int, share: Share = WHOLE) -> tuple[TaskFactory, DataModule]:
    """Build the same, the data prepared and open for a run.

    Args:
        config: resolved.
        seed: the run's.
        share: of every batch, which this process takes.
    """
    factory, data = instantiate(config)
    data.seed = seed
    data.take(share)
    data.prepare_data()
    data.setup("fit")
    return factory, data


def instantiate_data(config: Config) -> tuple[Config, DataModule]:
    """Check and build the data module alone; nothing of the task is looked at or imported.

    Returns:
        The data's configuration with every default, and the data module.

    Raises:
        ConfigError: as :func:`resolve`.
    """
    parser, parsed = _parse_one("data", DataModule, config.get("data"))
    return plain(parsed.as_dict())["data"], parser.instantiate(parsed).data


def instantiate_task(config: Config) -> TaskFactory:
    """Build what will build the task alone, from a resolved configuration.

    The classes of the data need not be there.

    Raises:
        ConfigError: as :func:`resolve`.
    """
    built: TaskFactory = instantiate_one("task", TaskFactory, config.get("task"))
    return built


def instantiate_one(key: str, kind: Any, node: object) -> Any:
    """Check and build one object.

    Args:
        key: under which it stands.
        kind: the type that it must be of.
        node: its class and arguments.

    Raises:
        ConfigError: as :func:`resolve`.
    """
    parser, parsed = _parse_one(key, kind, node)
    return parser.instantiate(parsed)[key]


def _parse_one(key: str, kind: Any, node: object) -> tuple[ArgumentParser, Namespace]:
    check_class(node, (key,))
    parser = ArgumentParser(exit_on_error=False)
    parser.add_argument(f"--{key}", type=kind, required=True)
    return parser, _parse({key: node}, parser)


_NO_SUBCLASS = r"(?:to be|correspond to) a subclass of (?:<class ')?(?:[\w.]+\.)?(\w+)"


@cache
def _parser() -> ArgumentParser:
    parser = ArgumentParser(exit_on_error=False)
    parser.add_argument("--task", type=TaskFactory, required=True)
    parser.add_argument("--data", type=DataModule, required=True)
    skip = set(parameters(pl.Trainer)).difference(TRAINER_KEYS)
    parser.add_class_arguments(pl.Trainer, "trainer", skip=skip, instantiate=False)
    return parser


def _parse(config: Config, parser: ArgumentParser) -> Namespace:
    try:
        return cast(Namespace, parser.parse_object(config))
    except ArgumentError as error:
        raise _in_a_line(str(error), config) from error


def _in_a_line(text: str, config: Config) -> ConfigError:
    """Jsonargparse's report of many lines as one mistake at the key it is about."""
    keys, node, parameter = _follow(config, re.findall(r'Parser key "([^"]+)"', text))
    if missing := re.search(r"following arguments are required: ([\w, ]+)", text):
        return ConfigError(keys, f"{_class_name(node)} needs {missing[1]}: give it under init_args")
    if other := re.search(_NO_SUBCLASS, text):
        return ConfigError(
            (*keys, "class_path"), f"{node['class_path']} is no {other[1]}: name one that is"
        )
    if untyped := re.search(r"Parameter '(\w+)' from '([\w.]+)' does not specify a type", text):
        return ConfigError(keys, f"{untyped[2]} must give its argument {untyped[1]} a type hint")
    if unknown := re.search(r"Option '([^']+)' is not accepted", text):
        problem = f"{_class_name(node)} has no argument {unknown[1]} to set: remove it"
        return ConfigError((*keys, "init_args", unknown[1]), problem)
    if parameter is not None:
        return ConfigError(keys, f"is {node!r}, but must be {type_name(parameter)}: change it")
    return ConfigError(keys, " ".join(text.split()))


def _follow(config: Config, chain: list[str]) -> tuple[Keys, Any, inspect.Parameter | None]:
    """Go down the keys of an error message as far as the configuration has them."""
    keys: Keys = ()
    node: Any = config
    parameter = None
    step: Keys
    for name in (part for key in chain for part in key.split(".")):
        if not isinstance(node, dict):
            break
        if "class_path" in node:
            cls = find_class(node["class_path"], keys)
            inner, step, known = node.get("init_args", {}), ("init_args", name), parameters(cls)
        else:
            inner, step, known = node, (name,), parameters(pl.Trainer) if keys else {}
        if name not in inner:
            break
        keys, node, parameter = (*keys, *step), inner[name], known.get(name)
    return keys, node, parameter


def _class_name(node: Any) -> str:
    return str(node["class_path"]).rpartition(".")[2] if isinstance(node, dict) else repr(node)
