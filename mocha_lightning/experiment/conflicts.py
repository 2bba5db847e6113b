"""Old and new runs are not mixed: a folder's runs must be of the configuration that is wanted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.base import base_difference, difference, flat
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.places import (
    CHECKPOINTS,
    CONFIG,
    RESULT,
    run_folder,
    run_folders,
)
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.result import result_hash
from mocha_lightning.experiment.spec import RunSpec


def changed_runs(specs: Sequence[RunSpec], folder: Path) -> dict[str, str]:
    """Names of the runs that were begun with another configuration, each with a difference.

    Raises:
        UserError: what a run has left cannot be read.
    """
    return {
        spec.name: change
        for spec in specs
        if (change := changed_run(run_folder(folder, spec.variant, spec.seed), spec)) is not None
    }


def check_same(specs: Sequence[RunSpec], folder: Path) -> None:
    """Check that what is in the runs' folders belongs to these very runs.

    Raises:
        UserError: some is of another configuration.
    """
    others = changed_runs(specs, folder)
    if others:
        raise UserError(
            f"{folder}: {len(others)} of {len(specs)} runs were begun with another configuration "
            f"({listed(others)}): go on with the old one by the options (command in its "
            "config.yaml) and the files of your own that it was begun with, give the new one "
            "another name (--name), do the other runs alone (--only-missing), or remove those "
            "folders"
        )


def listed(changed: Mapping[str, str]) -> str:
    """Those runs as a reader is told them."""
    return f"{'; '.join(changed)}; the first: {next(iter(changed.values()))}"


def changed_run(folder: Path, spec: RunSpec) -> str | None:
    """How a run that was begun differs from the one wanted; None where it does not.

    Args:
        folder: the run's.
        spec: the run that is wanted.

    Raises:
        UserError: what it has left cannot be read.
    """
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
    return (
        difference(dict(flat(old.deciding)), dict(flat(spec.deciding)))
        or "its result does not belong to its config.yaml"
    )


def check_base(
    specs: Sequence[RunSpec], folder: Path, variants: Mapping[str, Mapping[str, Any]]
) -> None:
    """Check that the runs of an experiment's other variants share the base of those wanted.

    Args:
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``.
        variants: all of the experiment's, with what each changes.

    Raises:
        UserError: some run differs from those wanted in what no variant changes.
    """
    wanted = {run_folder(folder, spec.variant, spec.seed) for spec in specs}
    for name, _, run in run_folders(folder) if folder.exists() else ():
        begun = (run / RESULT).exists() or (run / CHECKPOINTS).exists()
        if name not in variants or run in wanted or not (begun and (run / CONFIG).exists()):
            continue
        old = RunSpec.read(run)
        varied = {*old.differences, *(path for each in variants.values() for path in each)}
        if changed := base_difference(old, specs[0], varied):
            raise UserError(
                f"{run}: was done with another base than the runs wanted now ({changed}), and only "
                "what variants change may differ in an experiment: give the new one another name "
                "(--name), or remove that folder"
            )
