"""Old and new runs are not mixed: a folder's runs must be of the configuration that is wanted."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import CHECKPOINTS, run_folder
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.result import result_hash
from mocha_lightning.experiment.spec import RunSpec


def check_same(specs: Sequence[RunSpec], folder: Path) -> None:
    """Check that what is in the runs' folders belongs to these very runs.

    Raises:
        UserError: some is of another configuration.
    """
    others = {
        f"{spec.variant} seed {spec.seed}": change
        for spec in specs
        if (change := _difference(run_folder(folder, spec.variant, spec.seed), spec)) is not None
    }
    if others:
        raise UserError(
            f"{folder}: {len(others)} of {len(specs)} runs were begun with another configuration "
            f"({'; '.join(others)}; the first: {next(iter(others.values()))}): go on with the old "
            "one by the options it was begun with (command in its config.yaml), give the new one "
            "another name (--name), or remove those folders"
        )


def _difference(folder: Path, spec: RunSpec) -> str | None:
    """How a run that was begun differs from the one wanted; None where it does not."""
    found = result_hash(folder)
    begun = (
        found is not None
        or (folder / CHECKPOINTS).exists()
        or is_busy(folder)
        # A run that failed before its first step, for what is mended now, has nothing to lose.
        or read_progress(folder).step > 0
    )
    if not begun or found == spec.config_hash:
        return None
    old = RunSpec.read(folder)
    if found is None and old.config_hash == spec.config_hash:
        return None
    then, now = dict(_flat(old.deciding)), dict(_flat(spec.deciding))
    for key in sorted({*then, *now}):
        if then.get(key) != now.get(key):
            return f"{key} was {_shown(then, key)} and is {_shown(now, key)}"
    return "its result does not belong to its config.yaml"


def _flat(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            inner = path if key == "init_args" else f"{path}.{key}" if path else key
            yield from _flat(value, inner)
    else:
        yield path, node


def _shown(values: dict[str, Any], key: str) -> str:
    return json.dumps(values[key]) if key in values else "not there"
