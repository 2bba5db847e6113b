"""Building every variant before any run, so that a value that a class refuses is known at once."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytorch_lightning as pl
from torch import nn

from mocha_lightning.data.base import DataModule
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import Origins, Variant
from mocha_lightning.experiment.document import Keys
from mocha_lightning.experiment.layers import Config
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.resolving import TaskFactory, instantiate
from mocha_lightning.experiment.trainer import build_trainer, first_of, share_of, uncomputable
from mocha_lightning.training.task import Task


class Built(NamedTuple):
    """What is known of a variant only when it has been built."""

    parameters: int
    data_sha256: str


def build_each(variants: Sequence[Variant], metric: Metric) -> dict[str, Built]:
    """Build every variant's data and task as its runs will, the data on disk included.

    Args:
        variants: all of them.
        metric: which every task must have among its scores.

    Returns:
        By variant: the number of parameters, and which data it really has.

    Raises:
        UserError: a constructor refuses a value, the data cannot be made, their batches cannot be
            shared as is asked for, or this machine cannot compute in the precision that is.
    """
    parts = _parts(variants)
    trainers = _trainers(variants)
    corpora: dict[str, DataModule] = {}
    for variant, _, data in parts:
        key = json.dumps(variant.config["data"])
        if key not in corpora:
            data.prepare_data()
            data.setup("fit")
            corpora[key] = data
    found = {}
    for variant, factory, _ in parts:
        corpus = corpora[json.dumps(variant.config["data"])]
        _share(variant, corpus)
        task = _task(variant, factory, corpus, metric)
        _check_precision(variant, trainers[_key(variant)], task)
        found[variant.name] = Built(parameters_of(task), corpus.sha256)
    return found


class Model(NamedTuple):
    """A variant's model and its data module, whose data need not be there."""

    task: Task
    data: DataModule


def build_models(
    variants: Sequence[Variant], metric: Metric, full: bool = False
) -> dict[str, Model]:
    """Build every variant's model, and prepare no data.

    Args:
        variants: all of them.
        metric: which every task must have among its scores.
        full: of the size that it has with a full vocabulary, without looking at any data.

    Raises:
        UserError: a constructor refuses a value; the model cannot be built without the data.
    """
    parts = _parts(variants)
    _trainers(variants)
    return {
        variant.name: Model(_task(variant, factory, data, metric, full), data)
        for variant, factory, data in parts
    }


def parameters_of(module: nn.Module) -> int:
    """Numbers that training changes."""
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def _parts(variants: Sequence[Variant]) -> list[tuple[Variant, TaskFactory, DataModule]]:
    parts = [(variant, *_instantiated(variant)) for variant in variants]
    for variant, _, data in parts:
        _share(variant, data)
    return parts


def _trainers(variants: Sequence[Variant]) -> dict[str, pl.Trainer]:
    """By :func:`_key`: one takes as long as a variant's parts, and nearly always there is one."""
    found: dict[str, pl.Trainer] = {}
    for variant in variants:
        if _key(variant) not in found:
            found[_key(variant)] = _trainer(variant)
    return found


def _key(variant: Variant) -> str:
    return json.dumps(variant.config["trainer"])


def parts_of(task: Task) -> dict[str, int]:
    """Parameters of each part of a task, by dotted name: of the children of its children."""
    return {
        f"{name}.{part}".rstrip("."): parameters_of(module)
        for name, child in task.named_children()
        for part, module in [*child.named_children()] or [("", child)]
    }


def _task(
    variant: Variant, factory: TaskFactory, data: DataModule, metric: Metric, full: bool = False
) -> Task:
    try:
        task = factory(data.full_spec if full else data.spec)
    except (
        Exception,
        SystemExit,
    ) as error:  # whatever a constructor makes of a value it cannot use
        raise refused(variant.config, variant.origins, error) from error
    _check_metric(variant, task, metric)
    _check_processes(variant, task)
    return task


def _instantiated(variant: Variant) -> tuple[TaskFactory, DataModule]:
    try:
        return instantiate(variant.config)
    except (
        Exception,
        SystemExit,
    ) as error:  # whatever a constructor makes of a value it cannot use
        raise refused(variant.config, variant.origins, error) from error


def _trainer(variant: Variant) -> pl.Trainer:
    arguments = variant.config["trainer"]
    try:
        return build_trainer(arguments, [], first_of(arguments))
    except Exception as error:  # Lightning's own checks raise several kinds
        said = " ".join(str(error).split())
        raise UserError(f"{variant.origins.where(('trainer',))}: {said}") from error


def _share(variant: Variant, data: DataModule) -> None:
    """Have data give the share of a run's first process."""
    arguments = variant.config["trainer"]
    try:
        data.take(share_of(arguments, first_of(arguments)))
    except UserError as error:
        raise refused(variant.config, variant.origins, error) from error


def _check_processes(variant: Variant, task: Task) -> None:
    member = first_of(variant.config["trainer"])
    if member.processes > 1 and not task.by_processes:
        place = variant.origins.where(("trainer", "devices" if member.devices > 1 else "num_nodes"))
        raise UserError(
            f"{place}: {type(task).__name__} does not say that {member.processes} processes may "
            "share its batches (by_processes): leave it out"
        )


def _check_precision(variant: Variant, trainer: pl.Trainer, task: Task) -> None:
    if problem := uncomputable(trainer, task):
        raise UserError(f"{variant.origins.where(('trainer', 'precision'))}: {problem}")


def _check_metric(variant: Variant, task: Task, metric: Metric) -> None:
    known = {f"test/{name}" for name in task.metric_signatures("test")}
    if metric.name not in known:
        raise UserError(
            f"{variant.origins.document.where(('metric', 'name'))}: {type(task).__name__} has no "
            f"score {metric.name}: choose among {', '.join(sorted(known))}"
        )


def refused(config: Config, origins: Origins, error: Exception | SystemExit) -> UserError:
    """The error of a constructor that refuses a value, with the place where that was written.

    The argument is named where the message begins with it, as ``size must be at least 1`` does.
    """
    name = str(error).split(" ")[0].rpartition(".")[2]
    places = list(_named(config, name, ()))
    # Two classes may have an argument of that name; then the message must do.
    place = origins.where(places[0]) if len(places) == 1 else origins.whole()
    said = " ".join(str(error).split())
    if not said or not isinstance(error, ValueError | UserError):
        said = f"{type(error).__name__}: {said}".removesuffix(": ")
    return UserError(f"{place}: {said}")


def _named(node: Any, name: str, keys: Keys) -> Iterator[Keys]:
    """Where a configuration has an argument of some name."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == name:
                yield (*keys, key)
            yield from _named(value, name, (*keys, key))
