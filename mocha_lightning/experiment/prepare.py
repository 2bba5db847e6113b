"""What is checked and made before the first run begins, so that no run fails of it later."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.building import build_once
from mocha_lightning.experiment.conflicts import check_base, check_same
from mocha_lightning.experiment.definition import Experiment
from mocha_lightning.experiment.places import EXPERIMENT, RESULT, run_folder, write_whole
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.writable import check_writable, existing

MIB = 1 << 20
ROOM_FOR_LOGS = 20 * MIB
"""Disk that one run needs beside its checkpoints."""
BYTES_PER_PARAMETER = 4 * 3 * 3
"""A weight and Adam's two moments, in the best, the last and the next checkpoint."""


def prepare(
    experiment: Experiment, specs: Sequence[RunSpec], folder: Path
) -> tuple[list[RunSpec], dict[str, int]]:
    """Make the data, build each variant once, and check the folder that the runs will fill.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``, which may not exist yet.

    Returns:
        The runs with the data that they really have, and the number of parameters of each variant.

    Raises:
        UserError: a constructor refuses a value; old results are of another configuration; the
            folder cannot be written to or the disk has too little room.
    """
    check_writable(folder, "--runs")
    built = build_once(experiment.variants, experiment.metric)
    specs = [replace(spec, data_sha256=built[spec.variant].data_sha256) for spec in specs]
    check_same(specs, folder)
    check_base(specs, folder, {each.name: each.differences for each in experiment.variants})
    missing = [
        spec
        for spec in specs
        if not (run_folder(folder, spec.variant, spec.seed) / RESULT).exists()
    ]
    _check_room(
        folder,
        sum(
            ROOM_FOR_LOGS + BYTES_PER_PARAMETER * built[spec.variant].parameters for spec in missing
        ),
    )
    return specs, {name: each.parameters for name, each in built.items()}


def record(experiment: Experiment, folder: Path) -> None:
    """Write what the experiment is beside its runs, for the report and ``status``.

    Seeds of an earlier command stay: they are of the same experiment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = {**experiment.content, "seeds": _all_seeds(folder, experiment.seeds)}
    text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    write_whole(folder / EXPERIMENT, text)


def _all_seeds(folder: Path, seeds: Sequence[int]) -> list[int]:
    try:
        before = yaml.safe_load((folder / EXPERIMENT).read_text(encoding="utf-8"))["seeds"]
    except (OSError, yaml.YAMLError, ValueError, KeyError, TypeError):
        before = []
    if not (isinstance(before, list) and all(type(seed) is int for seed in before)):
        before = []
    return sorted({*before, *seeds})


def _check_room(folder: Path, needed: int) -> None:
    place = existing(folder)
    free = shutil.disk_usage(place).free
    if free < needed:
        raise UserError(
            f"{place}: {free // MIB} MiB are free and the runs need about {needed // MIB}: make "
            "room or choose another folder with --runs"
        )


class _Dumper(yaml.SafeDumper):
    """YAML without aliases: what two variants share is written out in both."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
