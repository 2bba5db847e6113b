"""A trained recogniser with its front end, from a run's folder alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from mocha_lightning.data import SpeechSpec
from mocha_lightning.data.frontend import Frontend
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.checkpoints import config_hash_of
from mocha_lightning.experiment.inert import load
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.places import CHECKPOINTS, CONFIG
from mocha_lightning.experiment.resolving import instantiate_task
from mocha_lightning.experiment.sources import unknown_module
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.recognizer.base import Recognizer
from mocha_lightning.recognizer.latency import lookahead_milliseconds
from mocha_lightning.recognizer.streaming import Streamer

REMEDY = "give the folder of a run, such as runs/demo/mocha_w2/seed-0, or a checkpoint in it"


@dataclass(frozen=True)
class Recognition:
    """All that recognition takes.

    Attributes:
        mechanism: what the recogniser attends with, by name.
        recognizer: in evaluation.
        frontend: of the corpus that it was trained on.
    """

    mechanism: str
    recognizer: Recognizer
    frontend: Frontend

    @property
    def lookahead(self) -> int:
        """Audio that a memory entry depends on after its own, in milliseconds."""
        return lookahead_milliseconds(self.recognizer.encoder, self.frontend.features)

    def streamer(self) -> Streamer:
        """Begin to listen to an utterance.

        Raises:
            UserError: the attention needs the whole memory.
        """
        return Streamer(self.recognizer, self.frontend.features, self.frontend.normalization)


def load_recognition(run: Path) -> Recognition:
    """Build what a run has trained, without its corpus and without executing what is in files.

    Args:
        run: a run's folder (its best step is taken) or a checkpoint in it. A copy will do that has
            ``config.yaml`` and ``checkpoints/best.ckpt`` alone.

    Raises:
        UserError: that is no run, some file is damaged or does not belong to the others, or it is
            no recogniser of speech.
    """
    try:
        run.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{run}: is not there ({reason}): {REMEDY}") from error
    path = run / CHECKPOINTS / "best.ckpt" if run.is_dir() else run
    config = path.parent.parent / CONFIG
    if not config.is_file():
        raise UserError(f"{run}: belongs to no run (there is no {config}): {REMEDY}")
    checkpoint = load(path, REMEDY)
    try:
        spec = RunSpec.read(config.parent)
    except UserError:
        raise UserError(f"{config}: cannot be read as a run's configuration: {REMEDY}") from None
    if config_hash_of(checkpoint, path) != spec.config_hash:
        raise UserError(f"{path}: is of another configuration than {config}: {REMEDY}")
    frontend = _frontend(checkpoint, spec, path)
    recognizer = _recognizer(spec, frontend, config)
    _take_weights(recognizer, checkpoint["state_dict"], frontend, path)
    task = spec.config["task"]
    mechanism = task["init_args"].get("attention", task)["class_path"].rpartition(".")[2]
    return Recognition(mechanism, recognizer.eval(), frontend)


def _frontend(checkpoint: dict[str, Any], spec: RunSpec, path: Path) -> Frontend:
    """What the corpus has put into the checkpoint, under its class's name as Lightning does."""
    corpus = spec.config["data"]["class_path"].rpartition(".")[2]
    state = checkpoint.get(corpus)
    if not isinstance(state, dict):
        raise UserError(
            f"{path}: keeps neither vocabulary nor features of its corpus ({corpus}): it is of an "
            "earlier version or of no corpus of speech: train it again"
        )
    try:
        return Frontend.of_state_dict(state)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error


def _recognizer(spec: RunSpec, frontend: Frontend, config: Path) -> Recognizer:
    features = frontend.features
    corpus = SpeechSpec(
        frontend.vocabulary, features.channels, features.mel_bins, features.lookahead
    )
    # Before anything is imported: to import a module is to execute it.
    if module := unknown_module(spec.config["task"], spec.sources):
        raise UserError(
            f"{config}: its module {module} is not the one that it was trained with (their SHA-256 "
            "differ), so it was not imported: bring that back, or give a run that you trust"
        )
    try:
        task = instantiate_task(spec.config)(corpus)
    except ConfigError as error:
        key = ".".join(str(each) for each in error.keys if each != "init_args")
        raise UserError(f"{config}: {key}: {error.problem}") from error
    except (Exception, SystemExit) as error:  # whatever a constructor makes of its arguments
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(f"{config}: task: cannot be built ({said}): {REMEDY}") from error
    if not isinstance(task, Recognizer):
        raise UserError(
            f"{config}: task: {type(task).__name__} is no recogniser of speech, which "
            f"alone transcribes: {REMEDY}"
        )
    return task


def _take_weights(
    recognizer: Recognizer, weights: dict[str, Any], frontend: Frontend, path: Path
) -> None:
    wanted = {name: _shape(value) for name, value in recognizer.state_dict().items()}
    found = {name: _shape(value) for name, value in weights.items()}
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            raise UserError(
                f"{path}: {name} is {found.get(name, 'not there')}, and must be "
                f"{wanted.get(name, 'not there')} in the {type(recognizer).__name__} of its "
                f"configuration with its vocabulary of {len(frontend.vocabulary)} symbols "
                f"{frontend.vocabulary}: {REMEDY}"
            )
    try:
        recognizer.load_state_dict(weights)
    except RuntimeError as error:
        said = " ".join(str(error).split())
        raise UserError(f"{path}: its weights cannot be taken ({said}): {REMEDY}") from error
    for name, value in recognizer.state_dict().items():
        if not value.isfinite().all():
            raise UserError(
                f"{path}: {name} has values that are no finite numbers: the run has diverged, or "
                f"the file is damaged: {REMEDY}"
            )


def _shape(value: object) -> str:
    return " x ".join(map(str, value.shape)) if isinstance(value, Tensor) else repr(value)
