"""What a run would do, without doing any of it."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from mocha_lightning.experiment.building import build_models, parameters_of
from mocha_lightning.experiment.definition import Experiment
from mocha_lightning.experiment.overview import (
    print_models,
    print_runs,
    print_unprepared,
    print_variants,
    wanted,
)
from mocha_lightning.experiment.prepare import prepare
from mocha_lightning.experiment.spec import RunSpec


def dry_run(
    experiment: Experiment, specs: Sequence[RunSpec], folder: Path, file: str, console: Console
) -> None:
    """Print the models, what differs between them, and how many runs there are to do.

    Data that are prepared are opened and checked, with all else that a run checks first; data
    that are not are left so.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``.
        file: the experiment's.
        console: where to.

    Raises:
        UserError: whatever would keep the runs from beginning; all else has been printed by then.
    """
    variants = wanted(experiment, specs)
    models = build_models(variants, experiment.metric)
    sizes = {name: parameters_of(model.task) for name, model in models.items()}
    print_models({name: model.task for name, model in models.items()}, console)
    print_variants(variants, sizes, console)
    for note in experiment.notes:
        console.print(Text(note), soft_wrap=True)
    if all(model.data.prepared for model in models.values()):
        specs, _ = prepare(experiment, specs, folder)
        print_runs(experiment, specs, folder, console)
    else:
        print_unprepared(experiment, specs, file, console)
