"""What a sweep is and what it has found, beside its trials: ``sweep.yaml`` and ``best.yaml``."""

import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.document import yaml_of
from mocha_lightning.experiment.layers import enter, without_effect
from mocha_lightning.experiment.places import write_whole
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.places import BEST, SWEEP
from mocha_lightning.sweep.ranking import ranked
from mocha_lightning.sweep.space import Values
from mocha_lightning.sweep.storage import without_password

FRESH_SEEDS = 8
"""Of the comparison that tells what the best setting is worth: the paper's number of runs."""


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
        "space": sweep.file.space,
        "sampler": sweep.file.sampler,
        "pruner": sweep.file.pruner,
        "seed": sweep.file.seed,
        "storage": without_password(storage),
    }
    write_whole(folder / SWEEP, yaml_of(content))


def write_best(sweep: Sweep, folder: Path) -> Path | None:
    """Write the variant as it was, and with the best setting, as an experiment.

    Its seeds are none of the sweep's: those have chosen the setting, and flatter it.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``.

    Returns:
        The file; None where no setting is complete.
    """
    complete = [trial for trial in ranked(folder, sweep.metric) if trial["state"] == "complete"]
    if not complete:
        return None
    best = complete[0]
    variant = sweep.variant
    name = f"{variant.name}_best"
    chosen = merged(variant.differences, best["values"])
    variants = {variant.name: variant.differences, name: chosen}
    if sweep.setting(name, best["values"]).config == variant.config:
        variants = {name: chosen}
    path = sweep.document.path.parent / sweep.file.experiment
    settings = {
        key: value
        for key, value in sweep.settings.items()
        if without_effect([key], variants.values()) is None
    }
    first = max(sweep.seeds) + 1
    content: dict[str, Any] = {
        "name": f"{sweep.name}-best",
        "base": os.path.relpath(path, folder),
        **({"set": settings} if settings else {}),
        "seeds": list(range(first, first + FRESH_SEEDS)),
        "variants": variants,
        "comparisons": [[name, variant.name]] if len(variants) > 1 else [],
        **({"notes": list(sweep.experiment.notes)} if sweep.experiment.notes else {}),
    }
    heading = (
        f"# The best of {len(complete)} complete settings of the sweep {sweep.name} (trial "
        f"{best['number']}: {sweep.metric.name}\n# {best['value']:.4g} on average over seeds "
        f"{', '.join(map(str, sweep.seeds))}), beside the variant as it was, with fresh seeds.\n\n"
    )
    write_whole(folder / BEST, heading + yaml_of(content))
    return folder / BEST


def merged(differences: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """What a variant changes, with further values set: within a class where the variant names one.

    Args:
        differences: the variant's, by dotted path.
        values: by dotted path.
    """
    found = deepcopy(dict(differences))
    for path, value in values.items():
        above = next((key for key in found if path.startswith(f"{key}.")), None)
        if above is None:
            found[path] = value
            continue
        node, (*names, last) = found[above], path.removeprefix(f"{above}.").split(".")
        for name in names:
            _, inner = enter((), node, name, path)
            node = inner[name]
        _, inner = enter((), node, last, path)
        inner[last] = value
    return found
