"""What is checked and made before the first run begins, so that no run fails of it later."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import Experiment, Variant
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import (
    CHECKPOINTS,
    EXPERIMENT,
    RESULT,
    run_folder,
    write_whole,
)
from mocha_lightning.experiment.resolving import instantiate
from mocha_lightning.experiment.result import result_hash
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.training.task import Task

MIB = 1 << 20
ROOM_FOR_LOGS = 20 * MIB
"""Disk that one run needs beside its checkpoints."""
BYTES_PER_PARAMETER = 4 * 3 * 3
"""A weight and Adam's two moments, in the best, the last and the next checkpoint."""


def prepare(experiment: Experiment, specs: Sequence[RunSpec], folder: Path) -> dict[str, int]:
    """Make the data, build each variant once, and check the folder that the runs will fill.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``, which may not exist yet.

    Returns:
        The number of parameters of each variant.

    Raises:
        UserError: a constructor refuses a value; old results are of another configuration; the
            folder cannot be written to or the disk has too little room.
    """
    check_same(specs, folder)
    sizes = {variant.name: _build(variant) for variant in experiment.variants}
    missing = [spec for spec in specs if not (_folder(folder, spec) / RESULT).exists()]
    needed = sum(ROOM_FOR_LOGS + BYTES_PER_PARAMETER * sizes[spec.variant] for spec in missing)
    _check_disk(folder, needed)
    return sizes


def record(experiment: Experiment, folder: Path) -> None:
    """Write what the experiment is beside its runs, for the report and ``status``."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.dump(experiment.content, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    write_whole(folder / EXPERIMENT, text)


def check_same(specs: Sequence[RunSpec], folder: Path) -> None:
    """Check that what is in the runs' folders belongs to these very runs.

    Raises:
        UserError: some is of another configuration.
    """
    others = {
        f"{spec.variant} seed {spec.seed}": change
        for spec in specs
        if (change := _difference(_folder(folder, spec), spec)) is not None
    }
    if others:
        raise UserError(
            f"{folder}: {len(others)} of {len(specs)} runs were begun with another configuration "
            f"({'; '.join(others)}; the first: {next(iter(others.values()))}): give the new one "
            "another name (--name), or remove those folders"
        )


def _folder(experiment: Path, spec: RunSpec) -> Path:
    return run_folder(experiment, spec.variant, spec.seed)


def _difference(folder: Path, spec: RunSpec) -> str | None:
    """How a run that was begun differs from the one wanted; None where it does not."""
    found = result_hash(folder)
    begun = found is not None or (folder / CHECKPOINTS).exists() or is_busy(folder)
    if not begun or found == spec.config_hash:
        return None
    old = RunSpec.read(folder)
    if found is None and old.config_hash == spec.config_hash:
        return None
    then, now = _deciding(old), _deciding(spec)
    for key in sorted({*then, *now}):
        if then.get(key) != now.get(key):
            return f"{key} was {_shown(then, key)} and is {_shown(now, key)}"
    return "its result does not belong to its config.yaml"


def _deciding(spec: RunSpec) -> dict[str, Any]:
    rest = {"seed": spec.seed, "metric": [spec.metric.name, spec.metric.mode]}
    return dict(_flat({**spec.config, "threads": spec.threads, **rest}))


def _flat(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            inner = path if key == "init_args" else f"{path}.{key}" if path else key
            yield from _flat(value, inner)
    else:
        yield path, node


def _shown(values: dict[str, Any], key: str) -> str:
    return json.dumps(values[key]) if key in values else "not there"


def _build(variant: Variant) -> int:
    """Build a variant's data and task once, as its runs will.

    Raises:
        UserError: a constructor refuses a value.
    """
    try:
        factory, data = instantiate(variant.config)
    except ValueError as error:
        raise _refused(variant, "data", error) from error
    data.prepare_data()
    data.setup("fit")
    try:
        task: Task = factory(data.spec)
    except ValueError as error:
        raise _refused(variant, "task", error) from error
    return sum(weight.numel() for weight in task.parameters() if weight.requires_grad)


def _refused(variant: Variant, part: str, error: ValueError) -> UserError:
    """Name the argument where the message begins with it, as ``size must be at least 1`` does."""
    place = variant.origins.where(
        _argument(variant.config[part], str(error).split(" ")[0], (part,))
    )
    return UserError(f"{place}: {' '.join(str(error).split())}")


def _argument(node: Any, name: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of an argument with some name, at any depth; else those of the whole."""
    found = list(_named(node, name, keys))
    return found[0] if len(found) == 1 else keys


def _named(node: Any, name: str, keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == name:
                yield (*keys, key)
            yield from _named(value, name, (*keys, key))


def _check_disk(folder: Path, needed: int) -> None:
    parent = folder
    while not parent.exists():
        parent = parent.parent
    if not os.access(parent, os.W_OK):
        raise UserError(f"{parent}: cannot be written to: choose another folder with --runs")
    try:
        free = shutil.disk_usage(parent).free
    except OSError as error:
        raise UserError(f"{parent}: {error.strerror}") from error
    if free < needed:
        raise UserError(
            f"{parent}: {free // MIB} MiB are free and the runs need about {needed // MIB}: make "
            "room or choose another folder with --runs"
        )


class _Dumper(yaml.SafeDumper):
    """YAML without aliases: what two variants share is written out in both."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
