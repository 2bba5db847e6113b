"""Train and test one variant with one seed: (configuration, seed, folder) to ``result.json``."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from mocha_lightning.errors import DivergedError, GivenUpError, NotANumberError, UserError
from mocha_lightning.experiment.callbacks import Curves, ShowProgress
from mocha_lightning.experiment.checkpoints import Checkpoints, scores_of
from mocha_lightning.experiment.departures import departures, strangers
from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.giving_up import GiveUpWhenAsked
from mocha_lightning.experiment.identity import identity_of
from mocha_lightning.experiment.machine import pin
from mocha_lightning.experiment.pictures import Pictures
from mocha_lightning.experiment.places import CHECKPOINTS, PREDICTIONS
from mocha_lightning.experiment.progress import DIVERGED, read_progress, write_progress
from mocha_lightning.experiment.provenance import peak_memory_mib, provenance, taking_part
from mocha_lightning.experiment.resolving import open_data
from mocha_lightning.experiment.result import number, write_result
from mocha_lightning.experiment.schema import COMPLETED
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.together import together
from mocha_lightning.experiment.trainer import (
    build_trainer,
    first_of,
    share_of,
    uncomputable,
    with_defaults,
)
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.shares import WHOLE
from mocha_lightning.tracking import Tracker, WandbSettings
from mocha_lightning.training.determinism import BUILDING, SeededSteps, seed_all
from mocha_lightning.training.divergence import StopOnDivergence
from mocha_lightning.training.same_buffers import SameBuffers
from mocha_lightning.training.task import Split, Task


def execute(spec: RunSpec, folder: Path, wandb: WandbSettings, door: Door | None = None) -> None:
    """Do a run, or what is left of it, and write its result.

    Args:
        spec: the run.
        folder: where all its files go; a checkpoint that is there is gone on from.
        wandb: what W&B is told of it.
        door: where other nodes come, if it is done by several.

    Raises:
        GivenUpError: its sweep gave it up.
    """
    tracker = Tracker(folder, wandb, identity_of(spec))
    try:
        summary = _Run(spec, folder, tracker).complete(door)
    except GivenUpError:
        tracker.finish(0, {"ended": "pruned"}, ["pruned"])
        raise
    except BaseException:
        tracker.finish(1, {})
        raise
    tracker.finish(0, summary)


class _Run:
    """One run on its way through training and test to a result."""

    def __init__(self, spec: RunSpec, folder: Path, tracker: Tracker) -> None:
        self.spec = spec
        self.folder = folder
        self.tracker = tracker
        pin(spec.threads)
        self.origin = provenance(spec.command, taking_part(spec))
        # A run that goes on and is killed before its next step still has its checkpoint.
        seen = replace(read_progress(folder), phase="starting", steps=spec.steps, problem="")
        write_progress(folder, seen)
        arguments = spec.config["trainer"]
        self.member = first_of(arguments)
        share = share_of(arguments, self.member)
        self.factory, self.data = open_data(spec.config, spec.seed, share)
        if share.processes > 1:
            # Made for their checks alone, before any time is spent.
            self.data.val_dataloader()
            self.data.test_dataloader()
        spec.check_data(self.data.sha256)
        # W&B has begun by now or gives up: what it does at its start cannot disturb the seeds.
        tracker.wait_until_started()
        seed_all(spec.seed, BUILDING)
        self.task: Task = self.factory(self.data.spec)
        self.checkpoints = Checkpoints(folder / CHECKPOINTS, spec.metric, spec.config_hash)
        self.progress = ShowProgress(folder, spec.steps, self.checkpoints)
        self.trainer = build_trainer(
            arguments,
            [
                SeededSteps(spec.seed, share),
                SameBuffers(),
                StopOnDivergence(),
                GiveUpWhenAsked(folder),
                # Before what tells W&B of a validation.
                Pictures(folder, tracker, self.data, with_defaults(arguments)),
                Curves(
                    folder, tracker, with_defaults(arguments)["log_every_n_steps"], share.rounds
                ),
                # After what others keep, which is then in the checkpoints; and before what is
                # told of them.
                self.checkpoints,
                self.progress,
            ],
            self.member,
        )
        self.device = self.trainer.strategy.root_device
        if problem := uncomputable(self.trainer, self.task):
            raise UserError(f"trainer.precision: {problem}")

    def complete(self, door: Door | None) -> dict[str, Any]:
        """Train from where it stands, test the best step, write the result, sum it up."""
        try:
            with together(self.spec, self.folder, self.member, self.device, door):
                self._train()
                scores = self._scores()
            steps, ended = self.spec.steps, COMPLETED
            self._illustrate()
            self.tracker.keep(
                self.checkpoints.best, self.checkpoints.best_step, self.checkpoints.best_scores
            )
        except (DivergedError, NotANumberError) as diverged:
            if isinstance(diverged, NotANumberError):
                diverged = DivergedError(self.trainer.global_step, str(diverged))
            steps, ended = diverged.step, str(diverged)
            scores = self._scores_without_a_number()
        write_result(self.folder, self.spec, self._facts(scores, steps, ended))
        self.progress.write("done" if ended == COMPLETED else DIVERGED, steps)
        return {
            # val/ is that of the last validation and the best of each; this is of one step.
            **{name.replace("val/", "best/", 1): value for name, value in scores.items()},
            "best_step": self.checkpoints.best_step,
            "ended": ended,
        }

    def _facts(self, scores: Mapping[str, float], steps: int, ended: str) -> dict[str, Any]:
        """What the result says beside what the run was told to be.

        Args:
            scores: all of them, by name.
            steps: training steps made.
            ended: how it did.
        """
        signatures = self._signatures()
        return {
            "metrics": {
                name: {"value": number(value), "signature": signatures.get(name, name)}
                for name, value in sorted(scores.items())
            },
            "best_step": self.checkpoints.best_step,
            "steps": steps,
            "ended": ended,
            "parameters": sum(p.numel() for p in self.task.parameters() if p.requires_grad),
            "notes": [*strangers(self.spec.config), *self.task.departures, *self.spec.notes],
            "departures": [list(each) for each in departures(self.spec.config["task"])],
            "data": {
                "name": self.data.name,
                "sha256": self.data.sha256,
                "description": self.data.describe(),
            },
            "provenance": {
                **self.origin,
                "versions": {**self.origin["versions"], **self.data.versions()},
                "files": self.spec.files,
                "processes": self.member.processes,
                "device": self.device.type,
                "seconds": round(self.checkpoints.elapsed(), 1),
                "peak_memory_mib": peak_memory_mib(),
            },
        }

    def _signatures(self) -> dict[str, str]:
        """How each score is computed, of the splits that this run looks at."""
        return {
            f"{split}/{name}": line
            for split in self._splits()
            for name, line in self.task.metric_signatures(split).items()
        }

    def _train(self) -> None:
        resumed = self.checkpoints.begun()
        if resumed:
            # Before anything of it is taken up: weights of other sizes would not even fit.
            self.checkpoints.read_own(resumed)
        self.trainer.fit(self.task, datamodule=self.data, ckpt_path=resumed)

    def _splits(self) -> tuple[Split, ...]:
        """Those that this run looks at."""
        return get_args(Split) if self.spec.metric.tested else ("val",)

    def _scores(self) -> dict[str, float]:
        """Of the best step, whose weights the task has after it."""
        self.task.load_state_dict(self.checkpoints.best_weights())
        return self._test() if self.spec.metric.tested else self.checkpoints.best_scores

    def _test(self) -> dict[str, float]:
        self.trainer.test(self.task, datamodule=self.data, verbose=False)
        records = "".join(f"{json.dumps(each)}\n" for each in self.task.predictions)
        write_whole(self.folder / PREDICTIONS, records)
        self.tracker.tabulate("predictions", self.task.predictions)
        return {**scores_of(self.trainer, "test/"), **self.checkpoints.best_scores}

    def _illustrate(self) -> None:
        self.task.eval()
        for name, content in self.task.illustrate(self.data).items():
            write_whole(self.folder / name, content)
            if name.endswith(".png"):
                self.tracker.show(self.folder / name)

    def _scores_without_a_number(self) -> dict[str, float]:
        """A run that diverged has every score that its siblings have, and none is a number."""
        if not self.spec.metric.tested:
            return {f"val/{name}": math.nan for name in self.task.metric_signatures("val")}
        if self.member.processes > 1:  # of which only this one is left
            self.data.take(WHOLE)
            self.trainer = build_trainer(self.spec.config["trainer"], [])
        self.trainer.limit_test_batches = 1
        # Its own weights may be no numbers.
        self.task = self.factory(self.data.spec)
        try:
            self.trainer.test(self.task, datamodule=self.data, verbose=False)
            names = list(scores_of(self.trainer, "test/"))
        except NotANumberError:  # a mechanism that gives nothing else has no more to say
            names = [f"test/{name}" for name in self.task.metric_signatures("test")]
        twins = [f"val/{name.removeprefix('test/')}" for name in names]
        return dict.fromkeys([*names, *twins], math.nan)
