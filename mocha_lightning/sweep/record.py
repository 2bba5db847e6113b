"""What a sweep is and what it has found, beside its trials: ``sweep.yaml`` and ``best.yaml``."""

import json
import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from mocha_lightning.experiment.layers import without_effect
from mocha_lightning.experiment.places import write_whole
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.places import BEST, SWEEP, TRIAL
from mocha_lightning.sweep.space import Values
from mocha_lightning.sweep.storage import without_password

FRESH_SEEDS = 8
"""Of the comparison that tells what the best setting is worth: the paper's number of runs."""


def record(sweep: Sweep, folder: Path, storage: str) -> None:
    """Write what a sweep is, for ``status`` and the report."""
    content = {
        "name": sweep.name,
        "experiment": _experiment(sweep),
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
    write_whole(folder / SWEEP, _yaml(content))


def write_best(sweep: Sweep, folder: Path) -> Path | None:
    """Write the variant as it was, and with the best setting, as an experiment.

    Its seeds are none of the sweep's: those have chosen the setting, and flatter it.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``.

    Returns:
        The file; None where no setting is complete.
    """
    trials = [json.loads(path.read_text()) for path in folder.glob(f"trial-*/{TRIAL}")]
    complete = [trial for trial in trials if trial["state"] == "complete"]
    if not complete:
        return None
    sign = 1 if sweep.metric.mode == "min" else -1
    best = min(complete, key=lambda trial: (sign * trial["value"], trial["number"]))
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
    write_whole(folder / BEST, heading + _yaml(content))
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
        node, names = found[above], path.removeprefix(f"{above}.").split(".")
        for name in names[:-1]:
            node = _arguments(node, name)[name]
        _arguments(node, names[-1])[names[-1]] = value
    return found


def _arguments(node: dict[str, Any], name: str) -> dict[str, Any]:
    """Where a name is looked up: among a class's arguments, or in a mapping itself."""
    if "class_path" not in node or name in ("class_path", "init_args"):
        return node
    arguments: dict[str, Any] = node.setdefault("init_args", {})
    return arguments


def _experiment(sweep: Sweep) -> str:
    return os.path.normpath(sweep.document.path.parent / sweep.file.experiment)


def _yaml(content: Mapping[str, Any]) -> str:
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


class _Dumper(yaml.SafeDumper):
    """YAML without aliases: what two variants share is written out in both."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
