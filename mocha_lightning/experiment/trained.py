"""What a run has trained, from its folder alone: no corpus is needed and nothing executed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from torch import Tensor

from mocha_lightning.errors import UserError, in_a_line
from mocha_lightning.experiment.checkpoints import config_hash_of
from mocha_lightning.experiment.classes import find_class
from mocha_lightning.experiment.inert import load
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.places import BEST_CHECKPOINT, CHECKPOINTS, CONFIG
from mocha_lightning.experiment.resolving import instantiate_task
from mocha_lightning.experiment.sources import unknown_module
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.training.task import Task

REMEDY = "give the folder of a run, runs/EXPERIMENT/VARIANT/seed-N, or a checkpoint in it"

Model = TypeVar("Model", bound=Task)


@dataclass(frozen=True)
class TrainedRun:
    """A run's configuration and a checkpoint of it.

    Attributes:
        path: of the checkpoint.
        config: path of the configuration.
        spec: what was run.
        checkpoint: weights, and what the corpus keeps beside them.
    """

    path: Path
    config: Path
    spec: RunSpec
    checkpoint: dict[str, Any]

    @classmethod
    def open(cls, run: Path) -> "TrainedRun":
        """Read it.

        Args:
            run: a run's folder (its best step is taken) or a checkpoint in it. A copy will do that
                has ``config.yaml`` and ``checkpoints/best.ckpt`` alone.

        Raises:
            UserError: that is no run, or some file is damaged or does not belong to the others.
        """
        try:
            run.stat()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(f"{run}: is not there ({reason}): {REMEDY}") from error
        path = run / CHECKPOINTS / BEST_CHECKPOINT if run.is_dir() else run
        config = path.parent.parent / CONFIG
        if not config.is_file():
            raise UserError(f"{run}: belongs to no run (there is no {config}): {REMEDY}")
        checkpoint = load(path, REMEDY)
        try:
            spec = RunSpec.read(config.parent)
        except UserError:
            raise UserError(
                f"{config}: cannot be read as a run's configuration: {REMEDY}"
            ) from None
        if config_hash_of(checkpoint, path) != spec.config_hash:
            raise UserError(
                f"{path}: is of another configuration than {config}, or of an "
                "earlier version, which reckoned it otherwise: train it again"
            )
        # Before anything is imported: to import a module is to execute it.
        if module := unknown_module(spec.config["task"], spec.sources):
            raise UserError(
                f"{config}: its module {module} is not the one that it was trained with (their "
                "SHA-256 differ), so it was not imported: bring that back, or give a run that you "
                "trust"
            )
        return cls(path, config, spec, checkpoint)

    @property
    def mechanism(self) -> str:
        """What the model attends with, by name; its own name where it does not."""
        task = self.spec.config["task"]
        return str(task["init_args"].get("attention", task)["class_path"].rpartition(".")[2])

    def corpus_state(self, key: str, lacking: str, kind: type[Task], other: str) -> dict[str, Any]:
        """What the corpus has put into the checkpoint, under its class's name as Lightning does.

        Args:
            key: that it must have.
            lacking: what is said of a checkpoint that has no such state; ``{}`` is its corpus.
            kind: of the model.
            other: what is said of a model of another kind.

        Raises:
            UserError: there is none.
        """
        corpus = self.spec.config["data"]["class_path"].rpartition(".")[2]
        state = self.checkpoint.get(corpus)
        if isinstance(state, dict) and key in state:
            return state
        try:
            task = find_class(self.spec.config["task"]["class_path"], ("task",))
        except ConfigError:
            task = kind  # what is wrong with it is not the corpus's affair
        if not issubclass(task, kind):
            raise UserError(f"{self.config}: task: {task.__name__} is {other}: {REMEDY}")
        if not isinstance(state, dict):
            raise UserError(f"{self.path}: keeps {lacking.format(corpus)}: train it again")
        return state

    def build(self, corpus: object, kind: type[Model], other: str, vocabulary: str) -> Model:
        """The model with its weights, in evaluation.

        Args:
            corpus: what the model must know of it.
            kind: of the model.
            other: what is said of a model of another kind.
            vocabulary: what is said of the corpus's where weights do not fit.

        Raises:
            UserError: it cannot be built, is of another kind, or the weights do not fit or are no
                numbers.
        """
        try:
            task = instantiate_task(self.spec.config)(corpus)
        except ConfigError as error:
            key = ".".join(str(each) for each in error.keys if each != "init_args")
            raise UserError(f"{self.config}: {key}: {error.problem}") from error
        except (Exception, SystemExit) as error:  # whatever a constructor makes of its arguments
            said = in_a_line(error)
            raise UserError(f"{self.config}: task: cannot be built ({said}): {REMEDY}") from error
        if not isinstance(task, kind):
            raise UserError(f"{self.config}: task: {type(task).__name__} is {other}: {REMEDY}")
        self._take_weights(task, vocabulary)
        return task.eval()

    def _take_weights(self, task: Task, vocabulary: str) -> None:
        weights = self.checkpoint["state_dict"]
        wanted = {name: _shape(value) for name, value in task.state_dict().items()}
        found = {name: _shape(value) for name, value in weights.items()}
        for name in sorted({*wanted, *found}):
            if wanted.get(name) != found.get(name):
                raise UserError(
                    f"{self.path}: {name} is {found.get(name, 'not there')}, and must be "
                    f"{wanted.get(name, 'not there')} in the {type(task).__name__} of its "
                    f"configuration with its vocabulary of {vocabulary}: {REMEDY}"
                )
        try:
            task.load_state_dict(weights)
        except RuntimeError as error:
            said = " ".join(str(error).split())
            raise UserError(
                f"{self.path}: its weights cannot be taken ({said}): {REMEDY}"
            ) from error
        for name, value in task.state_dict().items():
            if not value.isfinite().all():
                raise UserError(
                    f"{self.path}: {name} has values that are no finite numbers: the run has "
                    f"diverged, or the file is damaged: {REMEDY}"
                )


def _shape(value: object) -> str:
    return " x ".join(map(str, value.shape)) if isinstance(value, Tensor) else repr(value)
