"""The trials of a sweep that are over, the best first."""

import json
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.spec import Metric
from mocha_lightning.sweep.places import TRIAL


def ranked(folder: Path, metric: Metric) -> list[dict[str, Any]]:
    """What ``trial.json`` says of each; of equal ones the first, those without a value last.

    Args:
        folder: ``runs/<sweep>``.
        metric: says what is better.
    """
    trials = [json.loads(path.read_text()) for path in sorted(folder.glob(f"trial-*/{TRIAL}"))]
    sign = 1 if metric.mode == "min" else -1
    return sorted(trials, key=lambda trial: (trial["value"] is None, sign * (trial["value"] or 0)))
