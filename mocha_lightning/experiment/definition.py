"""An experiment: variants that differ from one base in what they say, and in nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mocha_lightning.data.base import DataModule
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.classes import find_class
from mocha_lightning.experiment.document import Document, Keys, dotted
from mocha_lightning.experiment.file import ExperimentFile, check_name, check_seeds, read_file
from mocha_lightning.experiment.layers import (
    NO_EFFECT,
    Changed,
    Config,
    change,
    without_effect,
)
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.mistakes import ConfigError, hint
from mocha_lightning.experiment.resolving import resolve
from mocha_lightning.experiment.sources import source_hashes
from mocha_lightning.experiment.spec import RunSpec


@dataclass(frozen=True)
class Origins:
    """Where each value of a variant's configuration was written."""

    document: Document
    settings: Changed
    variant: str
    changed: Changed

    def where(self, keys: Keys) -> str:
        """Name a value by the file, line and key that set it, or by the ``--set`` that did."""
        if origin := self.changed.origin(keys):
            path, rest = origin
            return self.document.where(("variants", self.variant, path, *rest))
        if origin := self.settings.origin(keys):
            path, rest = origin
            return f"--set {dotted((path, *rest))}"
        # A base may be wrong for one variant alone: without an attention, say, that others name.
        return f"{self.document.where(keys)} (variant {self.variant})"

    def whole(self) -> str:
        """Name the variant by file and line."""
        return self.document.where(("variants", self.variant))


@dataclass(frozen=True)
class Variant:
    """What one variant changes, and its whole configuration with every default."""

    name: str
    differences: dict[str, Any]
    config: Config
    origins: Origins = field(repr=False)

    @property
    def places(self) -> tuple[str, ...]:
        """Arguments of the data that say where files lie."""
        cls = find_class(self.config["data"]["class_path"], ("data",))
        assert issubclass(cls, DataModule)
        return cls.places


@dataclass(frozen=True)
class Experiment:
    """A checked experiment.

    ``content`` is the file with what the command line changed in it; ``files`` are the SHA-256 of
    the file and of those that it stands on, by path.
    """

    name: str
    content: dict[str, Any]
    variants: tuple[Variant, ...]
    seeds: tuple[int, ...]
    metric: Metric
    notes: tuple[str, ...]
    threads: int
    files: dict[str, str]

    def runs(self, command: str, variants: Sequence[str] | None = None) -> list[RunSpec]:
        """Each variant (or some) with each seed; all have their first seed before any second.

        Raises:
            UserError: a variant that there is not.
        """
        names = [variant.name for variant in self.variants]
        for name in variants or ():
            if name not in names:
                raise UserError(f"--variants: no variant is named {name!r}: {hint(name, names)}")
        sources = {variant.name: source_hashes(variant.config) for variant in self.variants}
        return [
            RunSpec(
                experiment=self.name,
                variant=variant.name,
                seed=seed,
                differences=variant.differences,
                metric=self.metric,
                notes=self.notes,
                threads=self.threads,
                config=variant.config,
                command=command,
                places=variant.places,
                sources=sources[variant.name],
                files=self.files,
            )
            for seed in self.seeds
            for variant in self.variants
            if variants is None or variant.name in variants
        ]


def load_experiment(
    path: Path,
    name: str | None = None,
    seeds: Sequence[int] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Experiment:
    """Read an experiment file and check it, down to the type of every argument of every class.

    Args:
        path: the YAML file.
        name: the experiment's name; else what the file says, or its own name.
        seeds: instead of the file's.
        settings: values of the base, by dotted path, instead of the file's.

    Raises:
        UserError: whatever is wrong with it, by file, line and key.
    """
    file, document = read_file(path)
    name = (file.name or path.stem) if name is None else name
    seeds = file.seeds if seeds is None else list(seeds)
    base = _change_base(file, settings or {})
    _check_effect(file, settings or {})
    try:
        check_name(name, ("name",))
        check_seeds(seeds)
    except ConfigError as mistake:
        raise UserError(f"--{mistake.keys[0]}: {mistake.problem}") from mistake
    variants = tuple(
        _variant(each, differences, base, document) for each, differences in file.variants.items()
    )
    _check_distinct(variants, document)
    return Experiment(
        name=name,
        content={**document.data, **base.config, "name": name, "seeds": seeds},
        variants=variants,
        seeds=tuple(seeds),
        metric=Metric(file.metric.name, file.metric.mode),
        notes=tuple(file.notes),
        threads=file.threads,
        files=document.files,
    )


def read_variants(path: Path, settings: Mapping[str, Any]) -> list[Origins]:
    """Read an experiment file for what each variant says, its classes and their arguments unseen.

    Args:
        path: the YAML file.
        settings: values of the base, by dotted path, instead of the file's.

    Raises:
        UserError: whatever is wrong with the file's form, by file, line and key.
    """
    file, document = read_file(path)
    base = _change_base(file, settings)
    _check_effect(file, settings)
    return [_changed(name, each, base, document) for name, each in file.variants.items()]


def _change_base(file: ExperimentFile, settings: Mapping[str, Any]) -> Changed:
    try:
        return change({"task": file.task, "data": file.data, "trainer": file.trainer}, settings)
    except ConfigError as mistake:
        raise UserError(f"--set {dotted(mistake.keys)}: {mistake.problem}") from mistake


def _check_effect(file: ExperimentFile, settings: Mapping[str, Any]) -> None:
    """Refuse to set what every variant sets itself."""
    if key := without_effect(settings, file.variants.values()):
        raise UserError(f"--set {key}: {NO_EFFECT}")


def _changed(name: str, differences: dict[str, Any], base: Changed, document: Document) -> Origins:
    try:
        return Origins(document, base, name, change(base.config, differences))
    except ConfigError as mistake:
        place = document.where(("variants", name, *mistake.keys))
        raise UserError(f"{place}: {mistake.problem}") from mistake


def _variant(name: str, differences: dict[str, Any], base: Changed, document: Document) -> Variant:
    origins = _changed(name, differences, base, document)
    try:
        return Variant(name, differences, resolve(origins.changed.config), origins)
    except ConfigError as mistake:
        raise UserError(f"{origins.where(mistake.keys)}: {mistake.problem}") from mistake


def _check_distinct(variants: tuple[Variant, ...], document: Document) -> None:
    """Refuse a variant that is another one once defaults are filled in."""
    for number, variant in enumerate(variants):
        for other in variants[:number]:
            if other.config == variant.config:
                place = document.where(("variants", variant.name))
                raise UserError(
                    f"{place}: is the same as variant {other.name}: change what it says or remove "
                    "it"
                )
