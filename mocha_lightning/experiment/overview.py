"""What an experiment is about to do, in a few lines."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.definition import Experiment
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.shown import shown
from mocha_lightning.experiment.spec import RunSpec


def print_overview(
    experiment: Experiment,
    specs: Sequence[RunSpec],
    folder: Path,
    sizes: Mapping[str, int],
    console: Console,
) -> None:
    """Print what differs between the wanted variants and how many runs there are to do.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        folder: ``runs/<experiment>``.
        sizes: parameters of each variant.
        console: where to.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("variant")
    table.add_column("differs from the others in", overflow="fold")
    table.add_column("parameters", justify="right")
    wanted = {spec.variant for spec in specs}
    variants = [variant for variant in experiment.variants if variant.name in wanted]
    for variant in variants:
        lines = [f"{key}: {shown(value)}" for key, value in variant.differences.items()]
        size = f"{sizes[variant.name]:,}"
        table.add_row(Text(variant.name), Text("\n".join(lines)), Text(size))
    console.print(table)
    done = sum(finished(run_folder(folder, spec.variant, spec.seed), spec) for spec in specs)
    seeds = ", ".join(map(str, experiment.seeds))
    if left_out := len(experiment.variants) - len(variants):
        seeds += f"; {left_out} of {len(experiment.variants)} variants left out"
    steps = max(spec.steps for spec in specs)
    console.print(
        Text(
            f"{experiment.name}: {len(specs)} runs of {steps} steps (seeds {seeds}), {done} done, "
            f"{len(specs) - done} to do, in {folder}"
        ),
        soft_wrap=True,
    )
