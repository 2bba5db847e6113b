"""``runs/<experiment>/experiment.yaml``: what all commands so far have asked for, in one file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import Experiment
from mocha_lightning.experiment.document import yaml_of
from mocha_lightning.experiment.file import read_file
from mocha_lightning.experiment.places import EXPERIMENT, run_folders
from mocha_lightning.experiment.whole_files import write_whole


@dataclass(frozen=True)
class Earlier:
    """What earlier commands have asked for in a folder, and this one does not.

    Attributes:
        variants: with what each changes; only those of which a run is there. Of one that was only
            written down, and renamed in the file since, nothing is to be kept.
        comparisons: those that some of these variants are in.
        seeds: whether or not a run of each was begun; another command may be about to do so.
    """

    variants: dict[str, dict[str, Any]] = field(default_factory=dict)
    comparisons: list[list[str]] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)


def asked_earlier(experiment: Experiment, folder: Path) -> Earlier:
    """Read what the record has besides an experiment.

    Args:
        experiment: the one to do now.
        folder: ``runs/<experiment>``, which may not exist yet.

    Raises:
        UserError: the record is damaged, or has a variant that cannot stand beside these.
    """
    path = folder / EXPERIMENT
    if not path.is_file():
        return Earlier()
    try:
        before, _ = read_file(path)
    except UserError as error:
        raise UserError(
            f"{error} (or remove {path}: of earlier runs, the report then shows those that the "
            "experiment's own file names)"
        ) from error
    here = {variant.name for variant in experiment.variants}
    begun = {variant for variant, _, _ in run_folders(folder)}
    variants = {
        name: differences
        for name, differences in before.variants.items()
        if name not in here and name in begun
    }
    for name, differences in variants.items():
        if not differences:
            raise UserError(
                f"{folder / name}: has runs of the base itself, which is no variant beside others: "
                "give the new experiment another name (--name), or remove that folder"
            )
    known = {*here, *variants}
    return Earlier(
        variants,
        [
            pair
            for pair in before.comparisons
            if known.issuperset(pair) and not here.issuperset(pair)
        ],
        [seed for seed in before.seeds if seed not in experiment.seeds],
    )


def record(experiment: Experiment, folder: Path) -> None:
    """Write what the experiment is beside its runs, for the report and ``status``.

    What :func:`asked_earlier` finds stays: a file with fewer variants or seeds makes no run
    undone. Who wants the report to be without some takes them out of the record.

    Raises:
        UserError: as :func:`asked_earlier`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    earlier = asked_earlier(experiment, folder)
    content = experiment.content
    whole = {
        **content,
        "seeds": sorted({*earlier.seeds, *experiment.seeds}),
        "variants": {**content["variants"], **earlier.variants},
        "comparisons": [*content.get("comparisons", []), *earlier.comparisons],
    }
    write_whole(folder / EXPERIMENT, yaml_of(whole))


def told(earlier: Earlier, folder: Path) -> str:
    """What a folder has besides, in a line; empty where that is nothing."""
    named = [
        f"{kind}{'s' if len(names) > 1 else ''} {', '.join(map(str, names))}"
        for kind, names in (("variant", list(earlier.variants)), ("seed", earlier.seeds))
        if names
    ]
    if not named:
        return ""
    return (
        f"Earlier commands asked for {' and '.join(named)} besides: they stay, and the report "
        f"shows them too, unless you take them out of {folder / EXPERIMENT}"
    )
