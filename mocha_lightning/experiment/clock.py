"""How long the rest will take, learnt from what has been done."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mocha_lightning.experiment.pace import seconds_per_step, side_by_side
from mocha_lightning.experiment.progress import Progress
from mocha_lightning.experiment.runner import OVER, Run, State


@dataclass
class Clock:
    """Estimates from the speed of this session's training, or before there is any of earlier ones.

    Args:
        jobs: runs at once.
    """

    jobs: int
    begun: dict[str, tuple[float, int]] = field(default_factory=dict)
    """When each run was first seen training, and at which step."""
    ended: dict[str, float] = field(default_factory=dict)

    def see(self, run: Run, progress: Progress) -> None:
        """Take note of a run."""
        now = time.monotonic()
        if run.state is State.RUNNING and progress.phase == "training":
            _, first = self.begun.setdefault(run.name, (now, progress.step))
            # It has gone on from its last validation, before what it had said when it was stopped.
            if progress.step < first:
                self.begun[run.name] = (now, progress.step)
        if run.state in OVER and run.name in self.begun:
            self.ended.setdefault(run.name, now)

    def left(self, run: Run, progress: Progress) -> float | None:
        """Seconds that a run at work still needs; None as long as nobody can know."""
        if run.state is not State.RUNNING:
            return None
        seconds, steps = self._spent(run, progress)
        return _steps_left(run, progress) * seconds / steps if steps else None

    def left_of_all(self, runs: Sequence[Run], progress: Mapping[str, Progress]) -> float | None:
        """Seconds until the last run is over; None as long as nobody can know."""
        spent = [self._spent(run, progress[run.name]) for run in runs]
        seconds, steps = sum(each[0] for each in spent), sum(each[1] for each in spent)
        rest = [_steps_left(run, progress[run.name]) for run in runs if run.state not in OVER]
        pace = seconds / steps if steps else seconds_per_step(progress.values())
        if pace is None or not rest:
            return None
        # Where all steps are made, runs are being tested, of which nobody can know.
        return pace * side_by_side(rest, self.jobs) or None

    def _spent(self, run: Run, progress: Progress) -> tuple[float, int]:
        """Seconds and steps that a run has had since it was first seen."""
        if run.name not in self.begun:
            return 0.0, 0
        since, first = self.begun[run.name]
        return self.ended.get(run.name, time.monotonic()) - since, progress.step - first


def _steps_left(run: Run, progress: Progress) -> int:
    at = progress.step if run.state in (State.RUNNING, State.ELSEWHERE) else progress.saved
    # What another command does there may be another run, with more steps.
    return max(0, run.spec.steps - at)
