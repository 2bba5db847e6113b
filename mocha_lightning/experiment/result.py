"""``result.json``: there if and only if the run is complete."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import RESULT, run_folder
from mocha_lightning.experiment.schema import SCHEMA, check_known
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.whole_files import write_whole

KEYS = frozenset({"experiment", "variant", "seed", "config_hash", "metrics", "ended", "provenance"})
"""What no result lacks; the report looks at it more closely."""


def write_result(folder: Path, spec: RunSpec, facts: Mapping[str, Any]) -> None:
    """Write the result of a run; it is the last thing a run does.

    Args:
        folder: the run's.
        spec: the run.
        facts: what only the run itself could know.
    """
    content = {
        "schema": SCHEMA,
        "experiment": spec.experiment,
        "variant": spec.variant,
        "seed": spec.seed,
        "differences": spec.differences,
        "metric": asdict(spec.metric),
        "config_hash": spec.config_hash,
        "config": spec.config,
        "places": list(spec.places),
        "sources": spec.sources,
        **facts,
    }
    write_whole(folder / RESULT, json.dumps(content, indent=2, allow_nan=False) + "\n")


def number(value: float) -> float | None:
    """A value as JSON has it: null is not a number."""
    return value if math.isfinite(value) else None


def finished(folder: Path, spec: RunSpec) -> bool:
    """Whether this very run is complete.

    Raises:
        UserError: its folder has the result of another run or configuration, of a newer version,
            or half a result.
    """
    found = _read(folder)
    if found is None:
        return False
    if found["config_hash"] != spec.config_hash:
        raise UserError(
            f"{folder / RESULT}: is the result of another configuration: give the new one another "
            f"name (--name), or remove {folder}"
        )
    _check_whose(folder, found, (spec.experiment, spec.variant, spec.seed))
    return True


def ended(experiment: Path, variant: str, seed: int) -> str | None:
    """How a run ended, by the result in its folder: ``completed``, or why not; None without one.

    Args:
        experiment: ``runs/<experiment>``.
        variant: the run's.
        seed: the run's.

    Raises:
        UserError: the file is there and cannot be read, or is another run's.
    """
    folder = run_folder(experiment, variant, seed)
    found = _read(folder)
    if found is None:
        return None
    _check_whose(folder, found, (experiment.resolve().name, variant, seed))
    return str(found["ended"])


def _check_whose(folder: Path, found: Mapping[str, Any], wanted: tuple[str, str, int]) -> None:
    name = tuple(found[key] for key in ("experiment", "variant", "seed"))
    if name != wanted:
        raise UserError(
            f"{folder / RESULT}: is the result of {' '.join(map(str, name))}, not of "
            f"{' '.join(map(str, wanted))}: move {folder} back to where it was done"
        )


def result_hash(folder: Path) -> str | None:
    """The config_hash of the result in a run's folder; None where there is no result.

    Raises:
        UserError: the file is there and cannot be read.
    """
    found = _read(folder)
    return None if found is None else str(found["config_hash"])


def _read(folder: Path) -> dict[str, Any] | None:
    path = folder / RESULT
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        # A link to what is not there, as on a disk that is not mounted, is a result all the same.
        if isinstance(error, FileNotFoundError) and not path.is_symlink():
            return None
        raise UserError(f"{path}: {error.strerror}: make it readable") from error
    except (ValueError, RecursionError):
        content = None
    schema = content.get("schema") if isinstance(content, dict) else None
    check_known(path, schema)
    if not isinstance(schema, int) or not KEYS.issubset(content):
        raise UserError(f"{path}: is no whole result: remove it to have that run done again")
    return dict(content)
