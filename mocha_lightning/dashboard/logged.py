"""What an experiment's runs have logged at W&B, by the names that it has there (docs/wandb.md)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.identity import identity_of
from mocha_lightning.experiment.places import PICTURES, PREDICTIONS, run_folder
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.report.curves import logged_scores
from mocha_lightning.report.results import MetricChoice, RunName, Runs
from mocha_lightning.tracking.beginning import ID_FILE

ATTENTION = "attention."
"""What the columns of a mechanism's arguments begin with."""
PICTURE = "pictures/"
TABLE = "tables/"
SEED, VARIANT = "seed", "variant"
_NAMES = {"experiment", SEED, VARIANT, "config_hash"}
"""Columns that tell runs apart, and decide nothing."""


@dataclass(frozen=True, kw_only=True)
class Logged:
    """Names at W&B: of a panel that shows any other, nobody would see anything.

    Attributes:
        experiment: the group of the runs.
        metric: what the experiment is judged by.
        runs: how many there are.
        scores: of the test, in the summary, those that are a number in some run.
        curves: in the history, by step, those that are a number in some run.
        columns: of the configuration, those that some run has.
        varying: of these, those that all runs have and in which they differ.
        pictures: of what runs attend to.
        tables: of what they predict.
        unknown: runs that W&B was told nothing of.
    """

    experiment: str
    metric: MetricChoice
    runs: int
    scores: frozenset[str]
    curves: frozenset[str]
    columns: frozenset[str]
    varying: tuple[str, ...]
    pictures: tuple[str, ...]
    tables: tuple[str, ...]
    unknown: tuple[RunName, ...]


def read_logged(folder: Path, runs: Runs) -> Logged:
    """Find out from the files of an experiment's finished runs what they have logged.

    Args:
        folder: ``runs/<experiment>``.
        runs: what is in it.

    Raises:
        UserError: a file of a run cannot be read.
    """
    names = [RunName(run.variant, run.seed) for run in runs]
    folders = {name: run_folder(folder, *name) for name in names}
    configs = [_columns(identity_of(RunSpec.read(each)).config) for each in folders.values()]
    return Logged(
        experiment=runs.experiment,
        metric=runs.expectation.metric,
        runs=len(names),
        scores=frozenset(
            name
            for run in runs
            for name, metric in run.metrics.items()
            if name.startswith("test/") and math.isfinite(metric.value)
        ),
        curves=frozenset(name for each in folders.values() for name in logged_scores(each)),
        columns=frozenset(column for config in configs for column in config),
        varying=tuple(
            column
            for column in configs[0]
            if column not in _NAMES
            and all(column in config for config in configs)
            and any(config[column] != configs[0][column] for config in configs)
        ),
        pictures=tuple(sorted({name for each in folders.values() for name in _pictures(each)})),
        tables=tuple(sorted({name for each in folders.values() for name in _tables(each)})),
        unknown=tuple(name for name, each in folders.items() if not (each / ID_FILE).exists()),
    )


def _columns(config: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """A configuration's plain values by dotted name, as W&B shows them."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, dict):
            found |= _columns(value, f"{above}{key}.")
        elif isinstance(value, str | int | float):
            found[f"{above}{key}"] = value
    return found


def _pictures(folder: Path) -> Iterator[str]:
    for pattern in ("*.png", f"{PICTURES}/*/*.png"):
        for path in folder.glob(pattern):
            yield f"{PICTURE}{path.stem}"


def _tables(folder: Path) -> Iterator[str]:
    path = folder / PREDICTIONS
    if path.exists() and path.stat().st_size:
        yield f"{TABLE}{path.stem}"
