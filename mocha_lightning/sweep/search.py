"""Doing a sweep: trials side by side, each with its runs one after the other."""

import time
from collections.abc import Sequence

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.building import build_each
from mocha_lightning.experiment.definition import Variant
from mocha_lightning.experiment.places import trial_name
from mocha_lightning.experiment.runner import Run
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.study import Study, Taken
from mocha_lightning.sweep.trial import TrialInHand

LOOK_SECONDS = 2.0
"""How often a command with nothing to do looks whether another one has died."""


class Search:
    """Gives a runner the runs of one trial after the other.

    Args:
        sweep: the sweep.
        study: its study.
        jobs: trials side by side.
        command: what was typed.
        data_sha256: of the variant's data.
    """

    def __init__(
        self, sweep: Sweep, study: Study, jobs: int, command: str, data_sha256: str
    ) -> None:
        self.sweep = sweep
        self.study = study
        self.jobs = jobs
        self.command = command
        self.data_sha256 = data_sha256
        self.in_hand: list[TrialInHand] = []
        self._look_at = 0.0

    def __call__(self, runs: Sequence[Run]) -> Sequence[RunSpec] | None:
        """The runs to begin now; None where the sweep is over.

        Args:
            runs: all so far.
        """
        by_spec = {id(run.spec): run for run in runs}
        following = [
            trial.current for trial in self.in_hand if trial.go_on(by_spec[id(trial.current)])
        ]
        self.in_hand = [trial for trial in self.in_hand if not trial.over]
        while len(self.in_hand) < self.jobs and time.monotonic() >= self._look_at:
            taken = self.study.take()
            if taken is None:
                if not self.in_hand and self.study.all_over():
                    return None
                self._look_at = time.monotonic() + LOOK_SECONDS
                break
            trial = TrialInHand(self.study, taken, self._specs(taken))
            if trial.over:
                trial.close_again()
            else:
                self.in_hand.append(trial)
                following.append(trial.current)
        return following

    def _specs(self, taken: Taken) -> list[RunSpec]:
        setting = self.sweep.setting(trial_name(taken.trial.number), taken.values)
        return self.sweep.runs(setting, self._sha256_of_data(setting), self.command)

    def _sha256_of_data(self, setting: Variant) -> str:
        """Of the data of a setting, which may choose among data too; empty where there are none."""
        if setting.config["data"] == self.sweep.variant.config["data"]:
            return self.data_sha256
        try:
            return build_each([setting], self.sweep.experiment.metric)[setting.name].data_sha256
        except UserError:
            # Ends that are no mistake one by one may be one together. Its runs find the same, and
            # fail of it as those of any other setting do; here the whole search would.
            return ""
