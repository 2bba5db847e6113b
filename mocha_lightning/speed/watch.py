"""Watching a measurement: a bar on a terminal, and a line for each length everywhere."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from mocha_lightning.speed.measure import VARIANTS, Timed
from mocha_lightning.speed.page import time_cell
from mocha_lightning.speed.settings import Settings
from mocha_lightning.speed.summary import row_of


class ConsoleWatch:
    """Shows on a console how far a measurement is; a context manager.

    Args:
        settings: what is measured.
        console: where to.
    """

    def __init__(self, settings: Settings, console: Console) -> None:
        self.progress = Progress(
            TextColumn("measuring"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.progress.add_task(
            "",
            total=len(VARIANTS) * settings.trials * sum(map(_share, settings.lengths)),
        )

    def __enter__(self) -> "ConsoleWatch":
        self.progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.progress.stop()

    def trial_done(self, length: int) -> None:
        """All mechanisms have been timed once more."""
        self.progress.advance(self.task, _share(length))

    def length_done(self, timed: Timed) -> None:
        """All trials of a variant and length are done."""
        times = ", ".join(f"{each.mechanism} {time_cell(each)}" for each in row_of(timed).points)
        self.progress.console.print(
            Text(f"keys {timed.variant}, T = U = {timed.length:,}: {times} ms"), soft_wrap=True
        )


def _share(length: int) -> int:
    """A trial's part of the work: soft attention, which takes nearly all of it, is quadratic."""
    return length * length
