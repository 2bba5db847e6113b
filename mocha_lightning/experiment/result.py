"""``result.json``: there if and only if the run is complete."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import RESULT, write_whole
from mocha_lightning.experiment.spec import RunSpec

SCHEMA = 1
KEYS = frozenset({"config_hash", "metrics", "provenance"})
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
        raise UserError(f"{folder / RESULT}: is the result of another configuration")
    name = [found.get(key) for key in ("experiment", "variant", "seed")]
    if name != [spec.experiment, spec.variant, spec.seed]:
        raise UserError(
            f"{folder / RESULT}: is the result of {' '.join(map(str, name))}, not of "
            f"{spec.experiment} {spec.variant} {spec.seed}: move {folder} back to where it was done"
        )
    return True


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
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable") from error
    except (ValueError, RecursionError):
        content = None
    schema = content.get("schema") if isinstance(content, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        raise UserError(
            f"{path}: its schema {schema} is newer than the {SCHEMA} that this version knows: "
            "update mocha-lightning"
        )
    if not isinstance(schema, int) or not KEYS.issubset(content):
        raise UserError(f"{path}: is no whole result: remove it to have that run done again")
    return dict(content)
