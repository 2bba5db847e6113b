"""What an experiment is about to do: its variants, their models, how many runs."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.building import parts_of
from mocha_lightning.experiment.conflicts import listed
from mocha_lightning.experiment.definition import Experiment, Variant
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.prepare import Prepared
from mocha_lightning.experiment.program import program
from mocha_lightning.experiment.record import told
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.shown import shown
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.trainer import first_of, share_of
from mocha_lightning.training.task import Task


def print_models(models: Mapping[str, Task], console: Console) -> None:
    """Print the first model, and how many parameters each part of each model has.

    Args:
        models: by variant.
        console: where to.
    """
    first, *_ = models
    console.print(Text(f"{first}: {models[first]}\n"), soft_wrap=True)
    parts: dict[str, dict[str, int]] = {}
    for variant, task in models.items():
        for part, size in parts_of(task).items():
            parts.setdefault(part, {})[variant] = size
    # Variants whose parts are all of one size share a column.
    alike: dict[tuple[int | None, ...], list[str]] = {}
    for variant in models:
        column = tuple(sizes.get(variant) for sizes in parts.values())
        alike.setdefault(column, []).append(variant)
    table = _table("part", "")
    for variants in alike.values():
        table.add_column(Text("\n".join(variants)), justify="right")
    for part, *counts in zip(parts, *alike, strict=True):
        if any(counts):
            table.add_row(Text(part), *("" if each is None else f"{each:,}" for each in counts))
    console.print(table)
    console.print()


def print_variants(variants: Sequence[Variant], sizes: Mapping[str, int], console: Console) -> None:
    """Print what differs between variants, and how much larger than the first each is.

    Args:
        variants: those that are wanted.
        sizes: parameters of each.
        console: where to.
    """
    table = _table("variant", "differs from the others in")
    table.add_column("parameters", justify="right")
    first = sizes[variants[0].name]
    for variant in variants:
        lines = [f"{key}: {shown(value)}" for key, value in variant.differences.items()]
        size = f"{sizes[variant.name]:,}"
        if variant is not variants[0]:
            size += f" ({100 * (sizes[variant.name] / first - 1):+.2f} %)"
        table.add_row(Text(variant.name), Text("\n".join(lines)), Text(size))
    console.print(table)


def print_runs(experiment: Experiment, prepared: Prepared, folder: Path, console: Console) -> None:
    """Print how many runs there are, how many are to do, and what else the folder has.

    Args:
        experiment: the experiment.
        prepared: the runs that are wanted.
        folder: ``runs/<experiment>``.
        console: where to.
    """
    specs = prepared.specs
    done = sum(finished(run_folder(folder, spec.variant, spec.seed), spec) for spec in specs)
    console.print(
        Text(f"{_counted(experiment, specs)}, {done} done, {len(specs) - done} to do, in {folder}"),
        soft_wrap=True,
    )
    for line in dict.fromkeys(map(_shared, specs)):
        if line:
            console.print(Text(line), soft_wrap=True)
    if others := prepared.left_alone:
        console.print(
            Text(
                f"{len(others)} of another configuration left as they are ({listed(others)}): a "
                "report refuses runs that differ in what no variant changes, and warns where a "
                "variant is no longer what it was",
                style="yellow",
            ),
            soft_wrap=True,
        )
    if besides := told(prepared.earlier, folder):
        console.print(Text(besides, style="yellow"), soft_wrap=True)


def print_unprepared(
    experiment: Experiment, specs: Sequence[RunSpec], given: Sequence[str], console: Console
) -> None:
    """Print how many runs there are of an experiment whose data are not prepared yet.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        given: the words of the command that name the experiment's file and change its base.
        console: where to.
    """
    command = shlex.join([program(), "prepare", *given])
    console.print(
        Text(
            f"{_counted(experiment, specs)}. Their data are not prepared yet: "
            f"`{command}` prepares them, and so does the first run."
        ),
        soft_wrap=True,
    )


def print_away(
    experiment: Experiment, specs: Sequence[RunSpec], problem: str, console: Console
) -> None:
    """Print how many runs there are of an experiment whose data are not there.

    Args:
        experiment: the experiment.
        specs: the runs that are wanted.
        problem: what was found in looking for the data.
        console: where to.
    """
    console.print(Text(f"{_counted(experiment, specs)}. Data not there: {problem}"), soft_wrap=True)


def wanted(experiment: Experiment, specs: Sequence[RunSpec]) -> list[Variant]:
    """The variants that some of the runs are of, in the experiment's order."""
    names = {spec.variant for spec in specs}
    return [variant for variant in experiment.variants if variant.name in names]


def _shared(spec: RunSpec) -> str:
    """How the batches of a run are shared; nothing where they are not."""
    arguments = spec.config["trainer"]
    share = share_of(arguments, first_of(arguments))
    if share.parts == 1:
        return ""
    size = spec.config["data"]["init_args"].get("batch_size")
    if not isinstance(size, int):
        return f"Every batch is shared by {share}."
    return (
        f"Every batch of {size} (data.batch_size) is shared by {share}: {size // share.parts} at a "
        f"time, and {size} in an update as before."
    )


def _counted(experiment: Experiment, specs: Sequence[RunSpec]) -> str:
    seeds = ", ".join(map(str, experiment.seeds))
    if left_out := len(experiment.variants) - len(wanted(experiment, specs)):
        seeds += f"; {left_out} of {len(experiment.variants)} variants left out"
    steps = max(spec.steps for spec in specs)
    runs = f"{len(specs)} run{'s' * (len(specs) != 1)}"
    return f"{experiment.name}: {runs} of {steps:,} steps (seeds {seeds})"


def _table(first: str, second: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first)
    if second:
        table.add_column(second, overflow="fold")
    return table
