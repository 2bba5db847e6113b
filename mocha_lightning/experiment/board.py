"""Watching runs: a live table on a terminal, a line for each change elsewhere."""

import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from mocha_lightning.experiment.clock import Clock
from mocha_lightning.experiment.pace import duration
from mocha_lightning.experiment.progress import BEST, DIVERGED, Progress, read_progress, score
from mocha_lightning.experiment.runner import OVER, Run, State

READ_SECONDS = 1.0
"""A look at the runs comes no sooner after the last one than this,"""
SHARE = 0.005
"""and so late that no more of the processor's time goes into looking: it is the runs'. Lines of
what has changed are printed at once, since there only the runs that did are looked at."""
AT_WORK = (State.RUNNING, State.ELSEWHERE)
"""States in which a run's progress goes on; in others it stands still."""
STYLES = {
    State.WAITING: "dim",
    State.PAUSING: "yellow",
    State.RUNNING: "cyan",
    State.ELSEWHERE: "magenta",
    State.DONE: "green",
    State.GIVEN_UP: "yellow",
    State.FAILED: "bold red",
}
DIVERGED_STYLE = "red"


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
        self.progress: dict[str, Progress] = {}
        self.next_at = 0.0
        self.runs: Sequence[Run] = ()
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
            # How it ended may have been seen by nobody yet.
            self._look(self.runs, self.runs)
            self.live.stop()

    def __call__(self, runs: Sequence[Run]) -> None:
        """Show how things stand."""
        self.runs = runs
        if time.monotonic() >= self.next_at:
            begun = time.process_time()
            self._look(runs, runs)
            spent = time.process_time() - begun
            self.next_at = time.monotonic() + max(READ_SECONDS, spent / SHARE)
        elif not self.live:
            changed = [run for run in runs if run.state is not self.states.get(run.name)]
            if changed:
                self._look(runs, changed)

    def _look(self, runs: Sequence[Run], looked_at: Sequence[Run]) -> None:
        """Look at some of all runs, and show how things stand."""
        for run in looked_at:
            if run.state in AT_WORK or run.state is not self.states.get(run.name):
                self.progress[run.name] = read_progress(run.folder)
            self.clock.see(run, self.progress[run.name])
        if self.live:
            self.live.update(self._picture(runs, self.progress), refresh=True)
        else:
            self._print_changes(runs, self.progress)
        self.states.update({run.name: run.state for run in looked_at})

    def _print_changes(self, runs: Sequence[Run], progress: Mapping[str, Progress]) -> None:
        for run in runs:
            before = self.states.get(run.name)
            # What was finished before this session is in the overview already.
            if run.state is before or (before is None and run.state in (State.WAITING, State.DONE)):
                continue
            at = progress[run.name]
            state = DIVERGED if _diverged(run, at) else run.state.value
            parts = [f"[{_over(runs)}/{len(runs)}] {run.name}: {state}"]
            if run.state in (State.FAILED, State.PAUSING):
                parts.append(run.problem)
            if run.state is State.DONE:
                parts += [self._named_best(at), self._left(runs, progress)]
            self.console.print(Text(", ".join(filter(None, parts))), soft_wrap=True)

    def _picture(self, runs: Sequence[Run], progress: Mapping[str, Progress]) -> RenderableType:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("run", "state", "steps", self.metric, BEST, "left"):
            table.add_column(Text(title), justify="left" if title in ("run", "state") else "right")
        for run in self._shown(runs):
            at = progress[run.name]
            left = self.clock.left(run, at)
            table.add_row(
                Text(run.name),
                _state(run, at),
                Text(f"{at.step}/{run.spec.steps}"),
                Text(score(at.validation, self.metric)),
                Text(score(at.best, self.metric)),
                Text("" if left is None else duration(left)),
            )
        bar = Table.grid(padding=(0, 2, 0, 0))
        steps = sum(run.spec.steps for run in runs)
        made = sum(run.spec.steps if run.state in OVER else progress[run.name].step for run in runs)
        summary = ", ".join(
            filter(None, (f"{_over(runs)} of {len(runs)} runs", self._left(runs, progress)))
        )
        bar.add_row(ProgressBar(total=steps, completed=made, width=30), Text(summary))
        pauses = (run for run in runs if run.state is State.PAUSING)
        return Group(table, *(Text(f"{run.name}: {run.problem}") for run in pauses), bar)

    def _shown(self, runs: Sequence[Run]) -> Sequence[Run]:
        """All runs; where the window is too low for them, those at work and those that failed."""
        room = self.console.height - 4
        if len(runs) <= room:
            return runs
        telling = (State.RUNNING, State.ELSEWHERE, State.PAUSING, State.FAILED)
        return [run for run in runs if run.state in telling][:room]

    def _named_best(self, progress: Progress) -> str:
        best = score(progress.best, self.metric)
        return f"best {self.metric} {best}" if best else ""

    def _left(self, runs: Sequence[Run], progress: Mapping[str, Progress]) -> str:
        left = self.clock.left_of_all(runs, progress)
        return "" if left is None else f"about {duration(left)} left"


def _state(run: Run, progress: Progress) -> Text:
    if _diverged(run, progress):
        return Text(DIVERGED, style=DIVERGED_STYLE)
    word = run.state.value
    if run.state is State.RUNNING:
        # Until its process is at work, a run begun again has the file of the one that failed.
        word = "starting" if progress.phase in ("", "failed") else progress.phase
    return Text(word, style=STYLES[run.state])


def _diverged(run: Run, progress: Progress) -> bool:
    return run.state is State.DONE and progress.phase == DIVERGED


def _over(runs: Sequence[Run]) -> int:
    return sum(run.state in OVER for run in runs)
