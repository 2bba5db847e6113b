"""One measurement, from its settings to its report."""

import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from mocha_lightning.experiment.provenance import provenance
from mocha_lightning.speed.measure import THREADS, libraries, measure
from mocha_lightning.speed.report import SpeedReport
from mocha_lightning.speed.settings import Settings
from mocha_lightning.speed.summary import summarise
from mocha_lightning.speed.watch import ConsoleWatch
from mocha_lightning.speed.write import write_report

PACKAGES = ("numba", "llvmlite", "scipy")
"""Packages whose versions decide a time, beside those that every result names."""


def run(settings: Settings, folder: Path, command: str, console: Console) -> None:
    """Measure, and write the report when all is measured.

    Args:
        settings: what to measure.
        folder: where the report goes.
        command: what was typed, for the report.
        console: where to show progress.
    """
    origin, begun = _origin(command), time.monotonic()
    with ConsoleWatch(settings, console) as watch:
        trials = measure(settings, watch)
    origin["seconds"] = round(time.monotonic() - begun, 1)
    report = SpeedReport(
        settings=settings,
        provenance=origin,
        variants=summarise(trials),
        trials=tuple(trials),
    )
    write_report(report, folder)


def _origin(command: str) -> dict[str, Any]:
    origin = provenance(command)
    origin["versions"] |= {package: version(package) for package in PACKAGES}
    return {**origin, "threads": THREADS, "libraries": libraries()}
