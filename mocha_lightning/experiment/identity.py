"""What W&B is told of a run: the convention of docs/wandb.md."""

from dataclasses import asdict
from typing import Any

from mocha_lightning.experiment.classes import class_paths
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import Identity

MOST_LETTERS = 64
"""Of a tag: W&B refuses longer ones."""


def identity_of(spec: RunSpec) -> Identity:
    """What a run is called, and its configuration as columns to filter and to group by.

    A class is its own name under ``class``, beside its arguments. The task's arguments stand at
    the top, so that a mechanism's are ``attention.chunk_size`` and so on; one that is called as
    another key there is stays under ``task``. Where files lie is left out, as it decides nothing.
    """
    classes = [path for part in ("task", "data") for path in class_paths(spec.config[part])]
    data = columns(spec.config["data"])
    task = columns(spec.config["task"])
    config = {
        "experiment": spec.experiment,
        "variant": spec.variant,
        "seed": spec.seed,
        "config_hash": spec.config_hash,
        "threads": spec.threads,
        "metric": asdict(spec.metric),
        "data": {key: value for key, value in data.items() if key not in spec.places}
        | {"sha256": spec.data_sha256},
        "trainer": spec.config["trainer"],
    }
    at_the_top = {key: value for key, value in task.items() if key not in {*config, "class"}}
    config["task"] = {key: value for key, value in task.items() if key not in at_the_top}
    return Identity(
        group=spec.experiment,
        job_type=spec.variant,
        name=f"{spec.variant}/seed-{spec.seed}",
        tags=tuple(sorted({path.rpartition(".")[2][:MOST_LETTERS] for path in classes})),
        config={**config, **at_the_top},
        metric=spec.metric.validation,
        mode=spec.metric.mode,
    )


def columns(node: Any) -> Any:
    """A configuration without ``init_args``, each class as its own name and its arguments."""
    if isinstance(node, list):
        return [columns(each) for each in node]
    if not isinstance(node, dict):
        return node
    if "class_path" not in node:
        return {key: columns(value) for key, value in node.items()}
    name = node["class_path"].rpartition(".")[2]
    return {"class": name, **columns(node.get("init_args", {}))}
