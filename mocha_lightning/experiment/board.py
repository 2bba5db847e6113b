"""Watching runs: a live table on a terminal, a line for each change elsewhere."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.progress import Progress, read_progress
from mocha_lightning.experiment.runner import Run, State

READ_SECONDS = 0.5
STYLES = {
    State.WAITING: "dim",
    State.RUNNING: "cyan",
    State.ELSEWHERE: "magenta",
    State.DONE: "green",
    State.FAILED: "bold red",
}
OVER = (State.DONE, State.FAILED)


@dataclass
class Clock:
    """Learns from what has been done how long the rest will take."""

    jobs: int
    begun: dict[str, tuple[float, int]] = field(default_factory=dict)
    """When each run was first seen at work, and at which step."""
    ended: dict[str, float] = field(default_factory=dict)

    def see(self, run: Run, seen: Progress) -> None:
        """Take note of a run."""
        if run.state is State.RUNNING:
            self.begun.setdefault(run.name, (time.monotonic(), seen.step))
        if run.state in OVER and run.name in self.begun:
            self.ended.setdefault(run.name, time.monotonic())

    def left(self, runs: Sequence[Run], seen: dict[str, Progress]) -> float | None:
        """Seconds until the last run is over; None as long as nobody can know."""
        spent, made = 0.0, 0
        for run in runs:
            if run.name in self.begun:
                since, first = self.begun[run.name]
                spent += self.ended.get(run.name, time.monotonic()) - since
                made += _step(run, seen) - first
        remaining = [run.spec.steps - _step(run, seen) for run in runs if run.state not in OVER]
        if made <= 0 or not remaining:
            return None
        at_once = min(self.jobs, len(remaining))
        return max(max(remaining), sum(remaining) / at_once) * spent / made


class Board:
    """Shows runs on a console while they go on; a context manager.

    Args:
        console: where to.
        jobs: runs at once.
        metric: the validation score to show.
    """

    def __init__(self, console: Console, jobs: int, metric: str) -> None:
        self.console = console
        self.metric = metric
        self.clock = Clock(jobs)
        self.states: dict[str, State] = {}
        self.read_at = 0.0
        self.live = Live(console=console, auto_refresh=False) if console.is_terminal else None

    def __enter__(self) -> "Board":
        if self.live:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live:
            self.live.stop()

    def __call__(self, runs: Sequence[Run]) -> None:
        """Show how things stand."""
        over = all(run.state in OVER for run in runs)
        changed = any(run.state is not self.states.get(run.name) for run in runs)
        if not (over or changed) and time.monotonic() - self.read_at < READ_SECONDS:
            return
        self.read_at = time.monotonic()
        seen = {run.name: read_progress(run.folder) for run in runs}
        for run in runs:
            self.clock.see(run, seen[run.name])
        if self.live:
            self.live.update(self._table(runs, seen), refresh=True)
        else:
            self._lines(runs, seen)
        self.states = {run.name: run.state for run in runs}

    def _lines(self, runs: Sequence[Run], seen: dict[str, Progress]) -> None:
        over = sum(run.state in OVER for run in runs)
        for run in runs:
            if run.state is self.states.get(run.name, State.WAITING):
                continue
            line = f"[{over}/{len(runs)}] {run.name}: {run.state.value}"
            if run.state is State.FAILED:
                line += f": {run.problem}"
            if run.state is State.DONE and self.states:
                line += f"{self._score(seen[run.name], ', ')}{self._left(runs, seen, ', ')}"
            self.console.print(Text(line), soft_wrap=True)

    def _table(self, runs: Sequence[Run], seen: dict[str, Progress]) -> RenderableType:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("run", "state", "steps", self.metric):
            table.add_column(Text(title), justify="left" if title in ("run", "state") else "right")
        room = self.console.height - 6
        # Where not all fit, those that are over and those that wait are only counted.
        shown = (
            runs
            if len(runs) <= room
            else [
                run for run in runs if run.state in (State.RUNNING, State.ELSEWHERE, State.FAILED)
            ][:room]
        )
        for run in shown:
            one = seen[run.name]
            phase = one.phase if run.state is State.RUNNING and one.phase else run.state.value
            table.add_row(
                Text(run.name),
                Text(phase, style=STYLES[run.state]),
                Text(f"{_step(run, seen)}/{run.spec.steps}"),
                Text(self._score(one, "")),
            )
        steps = sum(run.spec.steps for run in runs)
        made = sum(_step(run, seen) for run in runs)
        over = sum(run.state in OVER for run in runs)
        bar = Table.grid(padding=(0, 2, 0, 0))
        bar.add_row(
            ProgressBar(total=steps, completed=made, width=30),
            Text(f"{over} of {len(runs)} runs{self._left(runs, seen, ', ')}"),
        )
        return Group(table, bar)

    def _score(self, seen: Progress, before: str) -> str:
        value = seen.validation.get(self.metric)
        return (
            ""
            if value is None
            else f"{before}{value:.4g}"
            if not before
            else (f"{before}{self.metric} {value:.4g}")
        )

    def _left(self, runs: Sequence[Run], seen: dict[str, Progress], before: str) -> str:
        left = self.clock.left(runs, seen)
        return "" if left is None else f"{before}about {duration(left)} left"


def duration(seconds: float) -> str:
    """Time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _step(run: Run, seen: dict[str, Progress]) -> int:
    return run.spec.steps if run.state is State.DONE else min(seen[run.name].step, run.spec.steps)
