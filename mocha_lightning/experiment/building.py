"""Building every variant before any run, so that a value that a class refuses is known at once."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from mocha_lightning.data.base import DataModule
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import Variant
from mocha_lightning.experiment.document import Keys
from mocha_lightning.experiment.resolving import TaskFactory, instantiate


def build_once(variants: Sequence[Variant]) -> dict[str, int]:
    """Build every variant's data and task as its runs will, the data on disk included.

    Returns:
        The number of parameters of each variant.

    Raises:
        UserError: a constructor refuses a value, or the data cannot be made.
    """
    built = [(variant, *_instantiated(variant)) for variant in variants]
    specs: dict[str, Any] = {}
    for variant, _, data in built:
        key = json.dumps(variant.config["data"])
        if key not in specs:
            data.prepare_data()
            data.setup("fit")
            specs[key] = data.spec
    sizes = {}
    for variant, factory, _ in built:
        try:
            task = factory(specs[json.dumps(variant.config["data"])])
        except (ValueError, UserError) as error:
            raise _refused(variant, error) from error
        sizes[variant.name] = sum(p.numel() for p in task.parameters() if p.requires_grad)
    return sizes


def _instantiated(variant: Variant) -> tuple[TaskFactory, DataModule]:
    try:
        return instantiate(variant.config)
    except (ValueError, UserError) as error:
        raise _refused(variant, error) from error


def _refused(variant: Variant, error: Exception) -> UserError:
    """Name the argument where the message begins with it, as ``size must be at least 1`` does."""
    name = str(error).split(" ")[0].rpartition(".")[2]
    places = list(_named(variant.config, name, ()))
    # Two classes may have an argument of that name; then the message must do.
    place = variant.origins.where(places[0]) if len(places) == 1 else variant.origins.whole()
    return UserError(f"{place}: {' '.join(str(error).split())}")


def _named(node: Any, name: str, keys: Keys) -> Iterator[Keys]:
    """Where a configuration has an argument of some name."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == name:
                yield (*keys, key)
            yield from _named(value, name, (*keys, key))
