"""What a sweep is about to do."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from mocha_lightning.experiment.places import trials_over
from mocha_lightning.experiment.shown import shown
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.file import GRID
from mocha_lightning.sweep.space import written_out


def print_sweep(sweep: Sweep, parameters: int, folder: Path, console: Console) -> None:
    """Print what is sought, how, and how many trials there are to do.

    Args:
        sweep: the sweep.
        parameters: of the first setting's model.
        folder: ``runs/<sweep>``.
        console: where to.
    """
    sampler = sweep.file.sampler
    how = "every setting" if sampler == GRID else _class(sampler)
    pruner = "" if sweep.file.pruner is None else f", pruned by {_class(sweep.file.pruner)}"
    done = len(trials_over(folder))
    lines = [
        f"{sweep.name}: {sweep.variant.name} of {sweep.experiment.name} "
        f"({parameters:,} parameters), by {sweep.metric.name} on average over "
        f"{len(sweep.seeds)} run{'s' * (len(sweep.seeds) > 1)} of {sweep.steps:,} steps",
        *(f"  {path}: {shown(written)}" for path, written in written_out(sweep.space).items()),
        f"{sweep.trials} trials ({how}{pruner}), {done} over, in {folder}",
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _class(node: object) -> str:
    assert isinstance(node, dict)
    return str(node["class_path"]).rpartition(".")[2]
