"""How large a study is: runs, hours and disk, from a few measured steps of every variant."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from mocha_lightning.errors import UserError, in_a_line
from mocha_lightning.experiment.classes import class_paths
from mocha_lightning.experiment.measuring import Measured, measure
from mocha_lightning.experiment.pace import duration, side_by_side
from mocha_lightning.experiment.parent import end_with_parent
from mocha_lightning.experiment.room import KEPT, MIB, ROOM_FOR_LOGS, checkpoint_bytes
from mocha_lightning.experiment.server import begin_server
from mocha_lightning.experiment.shown import columns
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings


@dataclass(frozen=True)
class Planned:
    """All runs of one variant.

    Attributes:
        variant: its name.
        runs: how many.
        parameters: of its model.
        measured: of one run.
        seconds: of one run, from its first step to its result.
        bytes: that one run leaves on the disk, W&B's files aside.
    """

    variant: str
    runs: int
    parameters: int
    measured: Measured
    seconds: float
    bytes: int


def plan(specs: Sequence[RunSpec], parameters: dict[str, int], steps: int) -> Iterator[Planned]:
    """Measure one run of each variant, one after the other.

    Args:
        specs: all runs, their data prepared.
        parameters: of each variant's model.
        steps: to measure.
    """
    for variant in dict.fromkeys(spec.variant for spec in specs):
        own = [spec for spec in specs if spec.variant == variant]
        measured = _in_a_process_of_its_own(own[0], steps)
        yield Planned(
            variant=variant,
            runs=len(own),
            parameters=parameters[variant],
            measured=measured,
            seconds=seconds_of(own[0], measured),
            bytes=KEPT * checkpoint_bytes(parameters[variant]) + ROOM_FOR_LOGS,
        )


def seconds_of(spec: RunSpec, measured: Measured) -> float:
    """What a whole run takes that goes on as it was measured."""
    validations = spec.steps // int(spec.config["trainer"]["val_check_interval"])
    return (
        measured.start
        + spec.steps * measured.step
        + validations * measured.validation
        + measured.test
    )


def _in_a_process_of_its_own(spec: RunSpec, steps: int) -> Measured:
    """As runs are done: from a fork that has nothing of other variants in its memory."""
    server = begin_server(spec.threads, class_paths(spec.config), WandbSettings("disabled"))
    # What asks all of a group to stop reaches this process alone.
    with ProcessPoolExecutor(1, mp_context=server, initializer=end_with_parent) as processes:
        try:
            return processes.submit(measure, spec, steps).result()
        except BrokenProcessPool as error:
            raise UserError(
                f"{spec.variant}: the process that measured it was killed, as it is where memory "
                "is too small: make its batches smaller, or plan on another machine"
            ) from error
        except UserError:
            raise
        # Whatever a class of the user's own makes of its first steps.
        except Exception as error:
            raise UserError(f"{spec.variant} cannot be measured: {in_a_line(error)}") from error


def print_plan(planned: Sequence[Planned], at_once: Sequence[int], console: Console) -> None:
    """Print a row for each variant (MiB are of memory), and what all of it takes.

    Args:
        planned: the variants.
        at_once: numbers of runs side by side to reckon with.
        console: where to.
    """
    table = columns(["variant"], ["step", "validation", "test", "MiB", "a run", "runs", "all"])
    for each in planned:
        table.add_row(
            Text(each.variant),
            f"{1e3 * each.measured.step:,.0f} ms",
            duration(each.measured.validation),
            duration(each.measured.test),
            f"{each.measured.memory:,.0f}",
            duration(each.seconds),
            str(each.runs),
            duration(each.runs * each.seconds),
        )
    console.print(table)
    runs = [each.seconds for each in planned for _ in range(each.runs)]
    disk = sum(each.runs * each.bytes for each in planned)
    many = f"{len(runs)} runs" if len(runs) > 1 else "1 run"
    console.print(
        Text(
            f"{many}: {duration(sum(runs))} of computing, {disk / MIB:,.0f} MiB of disk. "
            "Side by side, each with such a machine's part to itself: "
            + ", ".join(f"{jobs} in {duration(side_by_side(runs, jobs))}" for jobs in at_once)
            + "."
        ),
        soft_wrap=True,
    )
    console.print(
        Text(
            "MiB are of memory. Reckoned from a few steps of untrained models, whose hard "
            "decoding may go on to its cap: the evaluations of trained ones take less."
        ),
        soft_wrap=True,
    )
