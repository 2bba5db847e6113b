"""What is checked and made before the first run begins, so that no run fails of it later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.building import Built, build_each
from mocha_lightning.experiment.conflicts import changed_runs, check_base, check_same, listed
from mocha_lightning.experiment.definition import Experiment
from mocha_lightning.experiment.places import RESULT, run_folder
from mocha_lightning.experiment.record import Earlier, asked_earlier
from mocha_lightning.experiment.room import (
    KEPT,
    bytes_there,
    check_room,
    checkpoint_bytes,
)
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.writable import check_writable


@dataclass(frozen=True)
class Prepared:
    """Runs that can begin.

    Attributes:
        specs: with the data that they really have.
        sizes: the number of parameters of each variant.
        left_alone: runs of another configuration, each with a difference.
        earlier: what the folder has besides.
    """

    specs: list[RunSpec]
    sizes: dict[str, int]
    left_alone: dict[str, str] = field(default_factory=dict)
    earlier: Earlier = field(default_factory=Earlier)


def prepare(
    experiment: Experiment,
    specs: Sequence[RunSpec],
    folder: Path,
    *,
    only_missing: bool = False,
    whatever_room: bool = False,
) -> Prepared:
    """Make the data, build each variant once, and check the folder that the runs will fill.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``, which may not exist yet.
        only_missing: leave runs of another configuration alone instead of refusing them.
        whatever_room: do not look at the disk.

    Raises:
        UserError: a constructor refuses a value; old results are of another configuration, or
            what is recorded of them is damaged; the folder cannot be written to or the disk has
            too little room.
    """
    check_writable(folder, "--runs")
    earlier = asked_earlier(experiment, folder)
    built = build_each(experiment.variants, experiment.metric)
    specs = [replace(spec, data_sha256=built[spec.variant].data_sha256) for spec in specs]
    left_alone: dict[str, str] = {}
    if only_missing:
        left_alone = changed_runs(specs, folder)
        specs = [spec for spec in specs if spec.name not in left_alone]
        if not specs:
            raise UserError(
                f"{folder}: no run is missing, all were begun with another configuration "
                f"({listed(left_alone)}): give the new one another name (--name)"
            )
    else:
        check_same(specs, folder)
        own = {each.name: each.differences for each in experiment.variants}
        check_base(specs, folder, {**earlier.variants, **own})
    if not whatever_room:
        _check_room(specs, built, folder)
    sizes = {name: each.parameters for name, each in built.items()}
    return Prepared(specs, sizes, left_alone, earlier)


def _check_room(specs: Sequence[RunSpec], built: Mapping[str, Built], folder: Path) -> None:
    """Refuse runs whose checkpoints would certainly not find room."""
    runs = [(spec.variant, run_folder(folder, spec.variant, spec.seed)) for spec in specs]
    left = [(variant, run) for variant, run in runs if not (run / RESULT).exists()]
    sizes = [checkpoint_bytes(built[variant].parameters) for variant, _ in left]
    there, largest = bytes_there(run for _, run in left), max(sizes, default=0)
    check_room(
        folder,
        KEPT * sum(sizes) + largest - there,
        len(left),
        whose=f"the {len(left)} runs need" if len(left) > 1 else "the 1 run needs",
        kept=f"{KEPT} checkpoints each",
        largest=largest,
    )
