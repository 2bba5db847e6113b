"""``sweep.yaml``: what a sweep is, beside its trials."""

import os
from pathlib import Path

from mocha_lightning.experiment.document import yaml_of
from mocha_lightning.experiment.places import SWEEP
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.space import written_out
from mocha_lightning.sweep.storage import without_password


def record(sweep: Sweep, folder: Path, storage: str) -> None:
    """Write what a sweep is, for ``status`` and the report."""
    content = {
        "name": sweep.name,
        "experiment": os.path.normpath(sweep.document.path.parent / sweep.file.experiment),
        "variant": sweep.variant.name,
        "metric": {"name": sweep.metric.name, "mode": sweep.metric.mode},
        "seeds": list(sweep.seeds),
        "trials": sweep.trials,
        "steps": sweep.steps,
        "space": written_out(sweep.space),
        "sampler": sweep.file.sampler,
        "pruner": sweep.file.pruner,
        "seed": sweep.file.seed,
        "storage": without_password(storage),
    }
    write_whole(folder / SWEEP, yaml_of(content))
