"""A sweep: one variant of an experiment, and the numbers of it that are sought."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from optuna.exceptions import ExperimentalWarning
from optuna.pruners import BasePruner, NopPruner
from optuna.samplers import BaseSampler, BruteForceSampler, GridSampler, RandomSampler
from optuna.study import StudyDirection

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.base import flat, without_init_args
from mocha_lightning.experiment.building import Built, build_each
from mocha_lightning.experiment.definition import (
    Experiment,
    Origins,
    Variant,
    load_experiment,
)
from mocha_lightning.experiment.document import Document, Keys
from mocha_lightning.experiment.file import check_name, check_seeds
from mocha_lightning.experiment.layers import Changed, change, without_effect
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.mistakes import ConfigError, hint
from mocha_lightning.experiment.resolving import instantiate_one, resolve
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.sweep.file import GRID, SweepFile, read_file
from mocha_lightning.sweep.space import Space, Values, ends, grid, read_space


@dataclass(frozen=True)
class SettingOrigins(Origins):
    """Where each value of a setting was written: in the sweep's space, or where its variant's was.

    Attributes:
        sweep: the sweep's document.
        chosen: what the setting changes of the variant.
    """

    sweep: Document
    chosen: Changed

    def where(self, keys: Keys) -> str:
        """Name a value by the file, line and key that set it."""
        if origin := self.chosen.origin(keys):
            path, rest = origin
            return self.sweep.where(("space", path, *rest))
        return super().where(keys)

    def whole(self) -> str:
        """Name the space by file and line."""
        return self.sweep.where(("space",))


@dataclass(frozen=True)
class Sweep:
    """A checked sweep.

    Attributes:
        experiment: the one whose variant it is about.
        variant: of that experiment.
        metric: the experiment's, on the validation split.
        space: what is sought, by dotted path.
        settings: what is set in the experiment's base, by dotted path.
        trials: settings to try in all.
    """

    name: str
    file: SweepFile
    document: Document = field(repr=False)
    experiment: Experiment = field(repr=False)
    variant: Variant = field(repr=False)
    metric: Metric
    space: Space
    settings: dict[str, Any]
    seeds: tuple[int, ...]
    trials: int

    @property
    def steps(self) -> int:
        """Training steps of a run."""
        return int(self.variant.config["trainer"]["max_steps"])

    @property
    def direction(self) -> StudyDirection:
        """Whether Optuna seeks a low value or a high one."""
        low = self.metric.mode == "min"
        return StudyDirection.MINIMIZE if low else StudyDirection.MAXIMIZE

    @property
    def grid(self) -> list[Values] | None:
        """All settings, where each is to be tried."""
        return grid(self.space) if self.file.sampler == GRID else None

    def setting(self, name: str, values: Values) -> Variant:
        """The variant with its numbers set.

        Raises:
            UserError: the space has a value that cannot be.
        """
        try:
            chosen = change(self.variant.origins.changed.config, values)
        except ConfigError as mistake:
            place = self.document.where(("space", *mistake.keys))
            raise UserError(f"{place}: {mistake.problem}") from mistake
        origins = SettingOrigins(**vars(self.variant.origins), sweep=self.document, chosen=chosen)
        try:
            return Variant(name, values, resolve(chosen.config), origins)
        except ConfigError as mistake:
            raise UserError(f"{origins.where(mistake.keys)}: {mistake.problem}") from mistake

    def check_ends(self) -> Built:
        """Build the model with every end of every range and every value of every choice.

        Data that are not prepared are prepared.

        Returns:
            What is known of the first setting's model and data.

        Raises:
            UserError: a value that a class refuses.
        """
        settings: list[Variant] = []
        for path, values in ends(self.space):
            variant = self.setting(f"{path} = {values[path]}", values)
            if all(variant.config != each.config for each in settings):
                settings.append(variant)
        built = build_each(settings, self.experiment.metric)
        return next(iter(built.values()))

    def runs(self, setting: Variant, data_sha256: str, command: str) -> list[RunSpec]:
        """The runs of a setting, one for each seed; they never look at the test split.

        Args:
            setting: as :meth:`setting` gives it.
            data_sha256: of the prepared data.
            command: what was typed.
        """
        alone = replace(
            self.experiment,
            name=self.name,
            variants=(setting,),
            seeds=self.seeds,
            metric=self.metric,
            files={**self.document.files, **self.experiment.files},
        )
        return [replace(spec, data_sha256=data_sha256) for spec in alone.runs(command)]

    def sampler(self, trial: int) -> BaseSampler:
        """What chooses the values of a trial, which follow from the sweep's seed and all before it.

        A sampler that lives on would choose others after a stop than without one, and two
        commands with one seed would choose the same.

        Args:
            trial: its number.

        Raises:
            UserError: it cannot be built.
        """
        written = self.file.sampler
        if written == GRID:
            # It chooses nothing: every setting is in the study from the start.
            return RandomSampler(seed=self.file.seed)
        assert isinstance(written, dict)
        sequence = str(written.get("class_path")).endswith("QMCSampler")
        # A sequence is one under one seed alone, and knows itself how far it is.
        seed = self.file.seed if sequence else self.file.seed + 1_000_003 * trial
        arguments = written.get("init_args", {})
        # What is none is refused where it is built.
        if isinstance(arguments, dict):
            if "seed" in arguments:
                raise UserError(
                    f"{self.document.where(('sampler', 'init_args', 'seed'))}: the sweep gives "
                    "every trial a seed of its own: write seed beside sampler"
                )
            written = {**written, "init_args": {**arguments, "seed": seed % 2**32}}
        sampler: BaseSampler = self._built("sampler", BaseSampler, written)
        if isinstance(sampler, GridSampler | BruteForceSampler):
            raise UserError(
                f"{self.document.where(('sampler',))}: {type(sampler).__name__} ends a study "
                f"itself: write sampler: {GRID}, which tries every setting once, too"
            )
        return sampler

    def pruner(self) -> BasePruner:
        """What gives up runs.

        Raises:
            UserError: it cannot be built.
        """
        if self.file.pruner is None:
            return NopPruner()
        pruner: BasePruner = self._built("pruner", BasePruner, self.file.pruner)
        return pruner

    def _built(self, key: str, kind: type, written: Mapping[str, Any]) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ExperimentalWarning)
                return instantiate_one(key, kind, dict(written))
        except ConfigError as mistake:
            raise UserError(f"{self.document.where(mistake.keys)}: {mistake.problem}") from mistake
        # Whatever a constructor makes of a value it cannot use.
        except Exception as error:
            said = " ".join(str(error).split())
            raise UserError(f"{self.document.where((key,))}: {said}") from error


def load_sweep(
    path: Path,
    *,
    name: str | None = None,
    seeds: Sequence[int] | None = None,
    trials: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Sweep:
    """Read a sweep file and check it, down to the type of every value at every end of its space.

    Args:
        path: the YAML file.
        name: the sweep's name; else what the file says, or its own name.
        seeds: instead of the file's.
        trials: instead of the file's.
        settings: values of the experiment's base, by dotted path, beside the file's.

    Raises:
        UserError: whatever is wrong with it, by file, line and key.
    """
    file, document = read_file(path)
    name = (file.name or path.stem) if name is None else name
    seeds = file.seeds if seeds is None else list(seeds)
    try:
        check_name(name, ("name",))
        check_seeds(seeds)
    except ConfigError as mistake:
        raise UserError(f"--{mistake.keys[0]}: {mistake.problem}") from mistake
    settings = {**file.set, **(settings or {})}
    if path_ := without_effect(settings, [file.space]):
        place = document.where(("set", path_)) if path_ in file.set else f"--set {path_}"
        raise UserError(f"{place}: has no effect, since the sweep seeks it: remove one of the two")
    experiment = load_experiment(path.parent / file.experiment, settings=settings)
    variants = {variant.name: variant for variant in experiment.variants}
    if file.variant not in variants:
        raise UserError(
            f"{document.where(('variant',))}: no variant of {file.experiment} is named "
            f"{file.variant!r}: {hint(file.variant, variants)}"
        )
    try:
        space = read_space(file.space, _whole(file.space, variants[file.variant]))
        cells = len(grid(space)) if file.sampler == GRID else None
    except ConfigError as mistake:
        place = document.where(("space", *mistake.keys))
        raise UserError(f"{place}: {mistake.problem}") from mistake
    if cells is not None and trials is not None:
        raise UserError("--trials: a grid tries every setting of its space once: leave it out")
    sweep = Sweep(
        name=name,
        file=file,
        document=document,
        experiment=experiment,
        variant=variants[file.variant],
        metric=Metric(experiment.metric.validation, experiment.metric.mode),
        space=space,
        settings=settings,
        seeds=tuple(seeds),
        trials=cells or trials or file.trials or 0,
    )
    for path_, values in ends(space):
        sweep.setting(path_, values)
    sweep.sampler(0)
    sweep.pruner()
    return sweep


def _whole(paths: Iterable[str], variant: Variant) -> set[str]:
    """Those of some dotted paths at which a variant has a whole number."""
    numbers = {path for path, value in flat(variant.config) if type(value) is int}
    return {path for path in paths if without_init_args(path) in numbers}
