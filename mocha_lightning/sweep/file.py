"""The form of a sweep file: which keys it has, of what types, and which must agree."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.document import Document, read_document
from mocha_lightning.experiment.file import check_name, check_seeds
from mocha_lightning.experiment.form import read_form
from mocha_lightning.experiment.mistakes import ConfigError, hint

GRID = "grid"
"""The word for a sampler that tries every setting."""

Class = dict[str, Any]
"""A class and its arguments, as ``{class_path: ..., init_args: {...}}``."""


class SweepFile(BaseModel):
    """What a sweep file holds; the space, classes and arguments are checked elsewhere.

    Attributes:
        experiment: the path of an experiment file, from the sweep file's folder.
        variant: the variant of it whose numbers are sought.
        space: by dotted path of the configuration, the values to choose from.
        set: values of the experiment's base, by dotted path, for all settings.
        seeds: runs of every setting. What is sought is best on average over them.
        trials: settings to try in all; none for a grid, which says itself how many there are.
        sampler: chooses the next setting.
        pruner: gives up what does worse than others did at that step.
        seed: of the sampler.
        storage: ``sqlite``, ``journal``, or the URL of a database server.
    """

    model_config = ConfigDict(strict=True, extra="forbid")

    experiment: str
    variant: str
    space: Annotated[dict[str, Any], Field(min_length=1)]
    set: dict[str, Any] = {}
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1)] = [0]
    trials: PositiveInt | None = None
    sampler: Class | Literal["grid"] = {"class_path": "optuna.samplers.TPESampler"}
    pruner: Class | None = None
    seed: NonNegativeInt = 0
    storage: str = "sqlite"
    name: str | None = None


def is_sweep_file(path: Path) -> bool:
    """Whether a file is rather a sweep's than an experiment's: it has a space.

    Raises:
        UserError: it cannot be read.
    """
    return "space" in read_document(path).data


def read_file(path: Path) -> tuple[SweepFile, Document]:
    """Read a sweep file and check its form.

    Raises:
        UserError: it cannot be read, or a key is unknown, missing, of a wrong type or at odds
            with another.
    """
    document = read_document(path)
    if "variants" in document.data and "space" not in document.data:
        raise UserError(
            f"{path}: is an experiment's file: give that of a sweep, which names the experiment "
            "and what is sought"
        )
    return read_form(document, SweepFile, _check_agreement, _first), document


def _check_agreement(file: SweepFile) -> None:
    check_seeds(file.seeds)
    if file.name is not None:
        check_name(file.name, ("name",))
    if file.sampler == GRID and file.trials is not None:
        raise ConfigError(
            ("trials",), "a grid tries every setting of its space once: remove this, or the grid"
        )
    if file.sampler != GRID and file.trials is None:
        raise ConfigError(("trials",), "is missing: say how many settings to try in all")
    if file.sampler == GRID and file.pruner is not None:
        raise ConfigError(("pruner",), "a grid is a table of whole runs: remove this, or the grid")


def _first(error: ValidationError) -> ConfigError:
    problem = error.errors()[0]
    # Of a choice between types pydantic names the one that did not fit.
    keys = tuple(problem["loc"])[: 1 if problem["loc"][:1] in (("sampler",), ("pruner",)) else None]
    if problem["type"] == "extra_forbidden":
        known = SweepFile.model_fields
        return ConfigError(keys, f"is no key of a sweep: {hint(str(keys[-1]), known)}")
    if problem["type"] == "missing":
        return ConfigError(keys, "is missing: add it")
    if keys == ("space",) and problem["type"] == "too_short":
        return ConfigError(keys, "names no path: add what is to be sought")
    if keys == ("sampler",):
        return ConfigError(keys, f"must be the word {GRID}, or a class_path and its init_args")
    said = problem["msg"].replace("Input should", "should")
    return ConfigError(keys, f"{said}, not {problem['input']!r}: change it")
