"""What a run would do, without doing any of it."""

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.building import build_models, parameters_of
from mocha_lightning.experiment.definition import Experiment, Variant
from mocha_lightning.experiment.overview import (
    print_away,
    print_models,
    print_runs,
    print_unprepared,
    print_variants,
    wanted,
)
from mocha_lightning.experiment.prepare import prepare
from mocha_lightning.experiment.spec import RunSpec


def dry_run(
    experiment: Experiment,
    specs: Sequence[RunSpec],
    folder: Path,
    given: Sequence[str],
    console: Console,
    *,
    only_missing: bool = False,
    whatever_room: bool = False,
) -> None:
    """Print the models, what differs between them, and how many runs there are to do.

    Data that are prepared are opened and checked, with all else that a run checks first; data
    that are not are left so.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``.
        given: the words of the command that name the experiment's file and change its base.
        console: where to.
        only_missing: as in :func:`prepare`.
        whatever_room: as in :func:`prepare`.

    Raises:
        UserError: whatever would keep the runs from beginning; all else has been printed by then.
            Data that are only not there, where the file says that they would be, are none.
    """
    variants = wanted(experiment, specs)
    models = build_models(variants, experiment.metric)
    sizes = {name: parameters_of(model.task) for name, model in models.items()}
    print_models({name: model.task for name, model in models.items()}, console)
    for presumed in dict.fromkeys(model.data.presumption for model in models.values()):
        if presumed:
            console.print(Text(f"Of these models {presumed}."), soft_wrap=True)
    print_variants(variants, sizes, console)
    for note in experiment.notes:
        console.print(Text(note), soft_wrap=True)
    try:
        there = all(model.data.prepared for model in models.values())
    except UserError as error:
        if not any(map(_is_away, variants)):
            raise
        print_away(experiment, specs, str(error), console)
        return
    if there:
        prepared = prepare(
            experiment, specs, folder, only_missing=only_missing, whatever_room=whatever_room
        )
        print_runs(experiment, prepared, folder, console)
    else:
        print_unprepared(experiment, specs, given, console)


def _is_away(variant: Variant) -> bool:
    """Whether nothing is where the experiment's file, and not the command, says that data lie."""
    arguments = variant.config["data"].get("init_args", {})
    return any(
        isinstance(arguments.get(place), str)
        and not os.path.lexists(arguments[place])
        and variant.origins.settings.origin(("data", "init_args", place)) is None
        for place in variant.places
        if place != "cache_dir"
    )
