"""The study of a sweep in Optuna's books: which settings were tried, are tried, and come next."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import optuna
from optuna.samplers import RandomSampler
from optuna.trial import FrozenTrial, Trial, TrialState

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.locks import BusyError, locked
from mocha_lightning.experiment.places import (
    TRIAL,
    trial_name,
)
from mocha_lightning.sweep.belonging import (
    IDENTITY,
    check_folder,
    check_identity,
    check_storage,
    claim,
    identity,
)
from mocha_lightning.sweep.blame import blamed
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.space import Values, suggest
from mocha_lightning.sweep.storage import alone, open_storage, told, without_password


@dataclass(frozen=True)
class Taken:
    """A trial that this command does, and no other.

    Attributes:
        trial: Optuna's.
        values: its setting.
        folder: that of its runs.
        lock: is held until this is closed, or this process ends.
    """

    trial: Trial
    values: Values
    folder: Path
    lock: ExitStack = field(repr=False)


class Study:
    """Trials to do, one after the other; several commands may share a study.

    All of Optuna's storage is read and written while no other command of the sweep does, so that
    SQLite has one writer at any moment. A command holds the lock of every trial that it does. The
    system frees it however the command ends: then the next one takes that trial up again, with
    its number, its setting and its runs. So it does with a trial that is over in the books alone,
    since somebody has moved its end away.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``.
        storage: as :func:`open_storage` takes it.
        data_sha256: of the data of the first setting.

    Raises:
        UserError: the storage cannot be used, or its study of that name is of another sweep or
            folder.
    """

    def __init__(self, sweep: Sweep, folder: Path, storage: str, data_sha256: str) -> None:
        self.sweep = sweep
        self.folder = folder
        self.storage = storage
        self.failed_here: set[int] = set()
        check_storage(sweep.name, folder, storage)
        with self._alone():
            self._study = optuna.create_study(
                storage=open_storage(storage, folder),
                study_name=sweep.name,
                direction=sweep.direction,
                pruner=sweep.pruner(),
                load_if_exists=True,
            )
            if check_identity(self._study, sweep, folder, data_sha256):
                self._study.set_user_attr(IDENTITY, identity(sweep, data_sha256))
            if check_folder(self._study, folder, storage):
                claim(self._study, folder)
            self._plan()

    def take(self) -> Taken | None:
        """A trial to do: one whose command has died, else the next; None where none is left now."""
        with self._alone():
            trials = self._study.get_trials(deepcopy=False)
            for trial in trials:
                at_work = trial.state is TrialState.RUNNING
                if (at_work or self._is_lost(trial)) and (taken := self._take_up(trial)):
                    return taken
            waiting = any(trial.state is TrialState.WAITING for trial in trials)
            if not waiting and self._planned(trials) >= self.sweep.trials:
                return None
            self._study.sampler = self.sweep.sampler(len(trials))
            with blamed(self.sweep.document, "sampler"):
                asked = self._study.ask()
            lock = self._locked(asked.number)
            if lock is None:
                raise UserError(
                    f"{self.folder / trial_name(asked.number)}: another command does that trial, "
                    f"of which the study {self.sweep.name} knows nothing: end one of the two, and "
                    f"bring back storage {without_password(self.storage)} as it was"
                )
            return self._taken(asked, lock)

    def all_over(self) -> bool:
        """Whether nothing is left to do, by this command or another."""
        with self._alone():
            trials = self._study.get_trials(deepcopy=False)
        at_work = (TrialState.RUNNING, TrialState.WAITING)
        return self._planned(trials) >= self.sweep.trials and not any(
            trial.state in at_work or self._is_lost(trial) for trial in trials
        )

    def report(self, taken: Taken, step: int, value: float) -> bool:
        """Put down how good a trial is so far; whether it is worth no more time.

        Args:
            taken: the trial.
            step: how far it is; one that was put down already is left as it is.
            value: how good it is.
        """
        with self._alone():
            known = self._study.get_trials(deepcopy=False)[taken.trial.number]
            if known.state.is_finished():
                # It is done again, or another program has closed it: it ends as the books say.
                return known.state is TrialState.PRUNED and step == known.last_step
            if step in known.intermediate_values:
                return False
            taken.trial.report(value, step)
            with blamed(self.sweep.document, "pruner"):
                return taken.trial.should_prune()

    def tell(self, taken: Taken, state: TrialState, value: float | None, reason: str) -> None:
        """Close a trial.

        Args:
            taken: the trial; its lock is freed.
            state: how it ended.
            value: of a complete one.
            reason: why it is not complete.
        """
        with self._alone():
            known = self._study.get_trials(deepcopy=False)[taken.trial.number]
            if not known.state.is_finished():
                if reason:
                    taken.trial.set_user_attr("reason", reason)
                with blamed(self.sweep.document, "sampler"):
                    self._study.tell(taken.trial, value, state)
        if state is TrialState.FAIL:
            self.failed_here.add(taken.trial.number)
        taken.lock.close()

    def _planned(self, trials: list[FrozenTrial]) -> int:
        """Settings that count: those that failed in an earlier command are tried again."""
        return sum(
            trial.state is not TrialState.FAIL or trial.number in self.failed_here
            for trial in trials
        )

    def _plan(self) -> None:
        """Put every setting of a grid into the books, and those that failed before once more."""
        trials = self._study.get_trials(deepcopy=False)
        tried = [trial for trial in trials if trial.state is not TrialState.FAIL]
        again = [trial.params for trial in trials if trial.state is TrialState.FAIL]
        planned: list[Values] = [
            trial.system_attrs.get("fixed_params") or trial.params for trial in tried
        ]
        for values in [*(self.sweep.grid or ()), *again]:
            if values and values not in planned:
                planned.append(values)
                self._study.enqueue_trial(values)

    def _take_up(self, trial: FrozenTrial) -> Taken | None:
        lock = self._locked(trial.number)
        if lock is None:
            return None
        over = trial.state.is_finished()
        # Of one that is over all is chosen, and a sampler with a plan may note nothing there.
        self._study.sampler = RandomSampler() if over else self.sweep.sampler(trial.number)
        with blamed(self.sweep.document, "sampler"):
            again = Trial(self._study, trial._trial_id)
        return self._taken(again, lock)

    def _taken(self, trial: Trial, lock: ExitStack) -> Taken:
        with blamed(self.sweep.document, "sampler"):
            values = suggest(trial, self.sweep.space)
        return Taken(trial, values, self.folder / trial_name(trial.number), lock)

    def _is_lost(self, trial: FrozenTrial) -> bool:
        """Whether a trial is over in the books and its folder does not know it.

        One that failed is tried again under another number, be its folder there or not.
        """
        over = trial.state in (TrialState.COMPLETE, TrialState.PRUNED)
        return over and not (self.folder / trial_name(trial.number) / TRIAL).exists()

    def _locked(self, number: int) -> ExitStack | None:
        folder = self.folder / trial_name(number)
        folder.mkdir(parents=True, exist_ok=True)
        stack = ExitStack()
        with suppress(BusyError):
            stack.enter_context(locked(folder))
            return stack
        return None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with alone(self.folder), told(self.storage, self.folder):
            yield
