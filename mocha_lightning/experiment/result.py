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
        UserError: its folder has the result of another configuration, or half a result.
    """
    found = result_hash(folder)
    if found is not None and found != spec.config_hash:
        raise UserError(f"{folder / RESULT}: is the result of another configuration")
    return found is not None


def result_hash(folder: Path) -> str | None:
    """The config_hash of the result in a run's folder; None where there is no result.

    Raises:
        UserError: the file is there and cannot be read.
    """
    path = folder / RESULT
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["config_hash"])
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path}: is no whole result: remove it to have that run done again"
        ) from error
