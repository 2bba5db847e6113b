"""The files of a measurement."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
from pydantic import TypeAdapter

from mocha_lightning.experiment.whole_files import whole
from mocha_lightning.speed.figure import draw, rendered
from mocha_lightning.speed.measure import Timed
from mocha_lightning.speed.page import markdown
from mocha_lightning.speed.report import SpeedReport


def write_report(report: SpeedReport, folder: Path) -> None:
    """Write `table.md`, `speed.csv` (a row for each trial), `figure.png`, `.svg`, `results.json`.

    All are written under other names first: whatever interrupts that leaves what was there before.
    """
    figure = draw(report)
    files = {
        "table.md": markdown(report).encode(),
        "speed.csv": _csv(report.trials).encode(),
        "figure.png": rendered(figure, "png"),
        "figure.svg": rendered(figure, "svg"),
        "results.json": TypeAdapter(SpeedReport).dump_json(report, indent=2) + b"\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as together:
        for name, content in files.items():
            together.enter_context(whole(folder / name)).write_bytes(content)


def _csv(timed: Iterable[Timed]) -> str:
    frame = pd.DataFrame(
        {
            "variant": each.variant,
            "length": each.length,
            "mechanism": mechanism,
            "trial": trial,
            "milliseconds": milliseconds,
        }
        for each in timed
        for mechanism, trials in each.milliseconds.items()
        for trial, milliseconds in enumerate(trials)
    )
    return frame.to_csv(index=False, lineterminator="\n")
