"""Runs that were never trained, whose weights are drawn."""

from typing import Any

from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.resolving import resolve
from mocha_lightning.experiment.sources import source_hashes
from mocha_lightning.experiment.spec import RunSpec


def spec_of(config: dict[str, Any], metric: Metric) -> RunSpec:
    """A run of a configuration, judged by a metric."""
    return RunSpec(
        experiment="drawn",
        variant="drawn",
        seed=0,
        differences={},
        metric=metric,
        notes=(),
        threads=1,
        config=resolve(config),
        command="mocha-lightning run drawn.yaml",
        sources=source_hashes(config),
    )
