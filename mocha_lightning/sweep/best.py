"""``best.yaml``: what a sweep has found, as an experiment that tells what it is worth."""

import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from mocha_lightning.experiment.document import yaml_of
from mocha_lightning.experiment.layers import enter, without_effect
from mocha_lightning.experiment.places import BEST_SETTING
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.report.sweep.ranking import ranked
from mocha_lightning.report.sweep.reading import read_sweep
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.space import Values

FRESH_SEEDS = 8
"""Of the comparison that tells what the best setting is worth: the paper's number of runs."""


def write_best(sweep: Sweep, folder: Path) -> None:
    """Write the variant as it was, and with the best setting, as an experiment.

    Where no setting is complete there is none. Its seeds are none of the sweep's: those have
    chosen the setting, and flatter it.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``.

    Raises:
        UserError: no trial is over, or a file of one cannot be trusted.
    """
    found = read_sweep(folder)
    complete = ranked(found.trials, found.definition)
    if not complete:
        return
    best = complete[0]
    variant = sweep.variant
    name = f"{variant.name}_best"
    chosen = merged(variant.differences, best.values)
    variants = {variant.name: variant.differences, name: chosen}
    if sweep.setting(name, best.values).config == variant.config:
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
        f"{best.number}: {sweep.metric.name}\n# {best.value:.4g} on average over seeds "
        f"{', '.join(map(str, sweep.seeds))}), beside the variant as it was, with fresh seeds.\n\n"
    )
    write_whole(folder / BEST_SETTING, heading + yaml_of(content))


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
