"""The form of an experiment file: which keys it has, of what types, and which must agree."""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.document import Document, Keys
from mocha_lightning.experiment.form import read_form
from mocha_lightning.experiment.inheriting import BASE, SET, read_whole
from mocha_lightning.experiment.metric import Mode
from mocha_lightning.experiment.mistakes import ConfigError, hint
from mocha_lightning.experiment.pairs import is_repeated
from mocha_lightning.experiment.places import EXPERIMENT
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.published import Published

MAX_THREADS = 1024
"""More than any machine has cores; the system refuses to begin far more than that."""
LARGEST_SEED = 2**63 - 1
"""That PyTorch takes."""

Pair = Annotated[list[str], Field(min_length=2, max_length=2)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class MetricChoice(_Strict):
    """Which metric, and which direction is better."""

    name: str
    mode: Mode


class ExperimentFile(_Strict):
    """What an experiment file holds; classes and their arguments are checked elsewhere."""

    task: dict[str, Any]
    data: dict[str, Any]
    trainer: dict[str, Any]
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1)]
    metric: MetricChoice
    variants: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    comparisons: list[Pair] = []
    notes: list[str] = []
    published: Published | None = None
    name: str | None = None
    threads: Annotated[PositiveInt, Field(le=MAX_THREADS)] = 1


def read_file(path: Path) -> tuple[ExperimentFile, Document]:
    """Read an experiment file, with what it has from its base, and check its form.

    Raises:
        UserError: it cannot be read, or a key is unknown, missing, of a wrong type or at odds
            with another.
    """
    document = read_whole(path)
    if "space" in document.data and "variants" not in document.data:
        raise UserError(f"{path}: is a sweep's file: give it to `{program()} sweep`")
    return read_form(document, ExperimentFile, _check_agreement, _first), document


def check_name(name: str, keys: Keys) -> None:
    """Check that a name can be a folder's.

    Raises:
        ConfigError: it cannot.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,99}", name):
        raise ConfigError(
            keys,
            f"{name!r} cannot name a folder: begin with a letter or digit and use letters, digits, "
            "'.', '_', '-', '+' and '=' (100 at most)",
        )


def check_seeds(seeds: list[int]) -> None:
    """Check that no seed is there twice, and none too great.

    Raises:
        ConfigError: one is.
    """
    for place, seed in enumerate(seeds):
        if seed > LARGEST_SEED:
            raise ConfigError(("seeds", place), f"must be {LARGEST_SEED:,} at most, not {seed}")
        if seed in seeds[:place]:
            raise ConfigError(("seeds", place), f"{seed} is there twice: each seed is one run")


def _check_agreement(file: ExperimentFile) -> None:
    check_seeds(file.seeds)
    if file.name is not None:
        check_name(file.name, ("name",))
    if not file.metric.name.removeprefix("test/") or not file.metric.name.startswith("test/"):
        raise ConfigError(
            ("metric", "name"),
            f"{file.metric.name!r} must begin with test/: the step is chosen by its val/ twin",
        )
    for name, differences in file.variants.items():
        check_name(name, ("variants", name))
        # Some file systems do not tell small letters from capital ones.
        if name.lower() == EXPERIMENT:
            raise ConfigError(
                ("variants", name), "is the name of a file beside the variants: choose another"
            )
        # Alone, a variant may be the base itself.
        if not differences and len(file.variants) > 1:
            raise ConfigError(
                ("variants", name), "changes nothing: say what it changes, or remove it"
            )
    for place, pair in enumerate(file.comparisons):
        for name in pair:
            if name not in file.variants:
                raise ConfigError(
                    ("comparisons", place),
                    f"no variant is named {name!r}: {hint(name, file.variants)}",
                )
        if pair[0] == pair[1]:
            raise ConfigError(("comparisons", place), f"compares {pair[0]} with itself: remove it")
        if is_repeated(file.comparisons, place):
            raise ConfigError(("comparisons", place), "is there twice: remove one")


def _first(error: ValidationError) -> ConfigError:
    problem = error.errors()[0]
    keys = tuple(problem["loc"])
    if problem["type"] == "extra_forbidden":
        if len(keys) > 1:
            part = MetricChoice if keys[0] == "metric" else Published
            known = [*part.model_fields]
        else:
            known = [*ExperimentFile.model_fields, BASE, SET]
        return ConfigError(keys, f"is no key of an experiment: {hint(str(keys[-1]), known)}")
    if problem["type"] == "missing":
        return ConfigError(keys, "is missing: add it")
    if keys[0] == "comparisons" and len(keys) > 1:
        return ConfigError(
            keys[:2], "must be two names of variants: list each comparison by itself"
        )
    said = problem["msg"].replace("Input should", "should")
    return ConfigError(keys, f"{said}, not {problem['input']!r}: change it")
