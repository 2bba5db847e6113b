"""A trial on its way: its runs one after the other, what they show on the way, and its end."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.curves import read_records
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.places import (
    CHECKPOINTS,
    CURVES,
    LAST_CHECKPOINT,
    PRUNED,
    RESULT,
    TRIAL,
    TrialEnd,
)
from mocha_lightning.experiment.runner import OVER, Run, State
from mocha_lightning.experiment.schema import COMPLETED
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.report.sweep.ends import OPTUNA_STATES
from mocha_lightning.sweep.ended import read_end
from mocha_lightning.sweep.study import Study, Taken

_Score = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""As runs write it: what is no number is null."""


@dataclass(frozen=True)
class _End:
    """What ``trial.json`` says that the study is to be told."""

    state: TrialEnd
    reason: str
    value: _Score | None

    def __post_init__(self) -> None:
        if (self.value is None) is (self.state == "complete"):
            raise ValueError("a trial has a value if and only if it is complete")


@dataclass(frozen=True)
class _Metric:
    """A score of a result; none where it is no number."""

    value: _Score | None


@dataclass(frozen=True)
class _Result:
    """What ``result.json`` says that a trial is made of."""

    metrics: dict[str, _Metric]
    best_step: int
    ended: str


UNTOLD = "at a step that is not known"
"""The reason of a trial that was given up, where that was lost."""

_END, _RESULT = TypeAdapter(_End), TypeAdapter(_Result)


class TrialInHand:
    """A trial that this command does.

    Its runs are done one after the other, in the order of their seeds. What the study is told on
    the way, at ``runs done x steps + step``, is the mean over its runs of the best validation so
    far: what the trial would be worth if it ended there.

    Args:
        study: the sweep's.
        taken: the trial.
        specs: its runs.
    """

    def __init__(self, study: Study, taken: Taken, specs: Sequence[RunSpec]) -> None:
        self.study = study
        self.taken = taken
        self.specs = specs
        self.metric: Metric = specs[0].metric
        self.begun = datetime.now(UTC)
        self.runs: list[dict[str, Any]] = []
        self.intermediate: list[tuple[int, float]] = []
        self.reported = 0
        self.given_up = ""
        self._seen: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        """The trial's, as a variant."""
        return self.specs[0].variant

    @property
    def current(self) -> RunSpec:
        """The run that is done now."""
        return self.specs[len(self.runs)]

    def go_on(self, run: Run) -> bool:
        """Look at the run that is done now.

        Args:
            run: it, in the runner's hands.

        Returns:
            Whether it is over and the trial is not: the next run can begin.
        """
        self._report(run)
        if run.state not in OVER:
            return False
        if run.state is State.FAILED:
            self._end("failed", None, run.problem)
            return False
        if self.given_up:
            self._end("pruned", None, self.given_up)
            return False
        result = self._result(run.folder / RESULT)
        value = result.metrics[self.metric.name].value
        self.runs.append({"seed": run.spec.seed, "value": value, "best_step": result.best_step})
        if value is None:
            # It may have come to its end, with scores that are infinite.
            came = result.ended == COMPLETED
            self._end("diverged", None, f"no finite {self.metric.name}" if came else result.ended)
            return False
        if len(self.runs) < len(self.specs):
            self._seen = (0, 0)
            return True
        self._end("complete", fmean(each["value"] for each in self.runs), "")
        return False

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return (self.taken.folder / TRIAL).exists()

    def close_again(self) -> None:
        """Tell the study how it ended, where its command died between the two."""
        end = read_end(self.taken.folder / TRIAL, _END)
        self._close(end.state, end.value, end.reason)

    def _result(self, path: Path) -> _Result:
        try:
            result = _RESULT.validate_json(path.read_bytes())
            if self.metric.name in result.metrics:
                return result
        except ValidationError:
            pass
        raise UserError(
            f"{path}: has no {self.metric.name} that a trial could be worth: bring it back as it "
            "was, or remove it to have that run done again"
        )

    def _report(self, run: Run) -> None:
        """Tell the study of the validations since, and have the run given up where it says so."""
        if (run.folder / PRUNED).exists() and not self.given_up:
            self.given_up = _reason(run.folder / PRUNED)
        done, last = len(self.runs), self.specs[0].steps * len(self.specs)
        for step, value in self._validations(run.folder):
            at = done * run.spec.steps + step
            if at <= self.reported or self.given_up:
                continue
            worth = fmean([*(each["value"] for each in self.runs), value])
            self.reported = at
            self.intermediate.append((at, worth))
            if self.study.report(self.taken, at, worth) and at < last:
                self.given_up = f"at step {step} of seed {run.spec.seed}"
                write_whole(run.folder / PRUNED, json.dumps({"reason": self.given_up}))

    def _validations(self, folder: Path) -> list[tuple[int, float]]:
        """Step and best score so far of every validation, where there are new ones."""
        path = folder / CURVES
        try:
            state = path.stat()
            if (state.st_mtime_ns, state.st_size) == self._seen:
                return []
            self._seen = (state.st_mtime_ns, state.st_size)
        except FileNotFoundError:
            return []
        name = self.metric.name
        scores = [
            (each["step"], each[name])
            for each in read_records(path)
            if isinstance(each.get(name), int | float) and math.isfinite(each[name])
        ]
        best = min if self.metric.mode == "min" else max
        so_far = accumulate((value for _, value in scores), best)
        return list(zip((step for step, _ in scores), so_far, strict=True))

    def _end(self, state: TrialEnd, value: float | None, reason: str) -> None:
        content = {
            "number": self.taken.trial.number,
            "values": self.taken.values,
            "state": state,
            "reason": reason,
            "value": value,
            "runs": self.runs,
            "intermediate": self.intermediate,
            "started": self.begun.isoformat(timespec="seconds"),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_whole(self.taken.folder / TRIAL, json.dumps(content, indent=2) + "\n")
        self._close(state, value, reason)

    def _close(self, state: TrialEnd, value: float | None, reason: str) -> None:
        # Once the study knows of its end, nobody comes back to make room.
        self._make_room(keep=state == "complete")
        self.study.tell(self.taken, OPTUNA_STATES[state], value, reason)

    def _make_room(self, keep: bool) -> None:
        """Remove checkpoints that nobody goes on from: sweeps have many runs."""
        for folder in self.taken.folder.glob(f"seed-*/{CHECKPOINTS}"):
            if keep:
                (folder / LAST_CHECKPOINT).unlink(missing_ok=True)
            else:
                rmtree(folder, ignore_errors=True)


def _reason(path: Path) -> str:
    """What ``pruned.json`` says; that it is there says enough."""
    try:
        return str(json.loads(path.read_bytes())["reason"]) or UNTOLD
    except (ValueError, LookupError, TypeError):
        return UNTOLD
