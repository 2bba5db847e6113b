"""Which of the Trainer's arguments an experiment may give."""

import logging
import warnings
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins import Precision
from pytorch_lightning.strategies import DDPStrategy
from torch import nn

from mocha_lightning.experiment.checkpoints import DirectIO
from mocha_lightning.experiment.classes import parameters
from mocha_lightning.experiment.membership import ALONE, Membership
from mocha_lightning.experiment.mistakes import ConfigError, hint
from mocha_lightning.experiment.own_signals import OwnSignals
from mocha_lightning.shares import Share

TRAINER_KEYS = (
    "accelerator",
    "devices",
    "num_nodes",
    "accumulate_grad_batches",
    "precision",
    "max_steps",
    "val_check_interval",
    "log_every_n_steps",
    "gradient_clip_val",
    "gradient_clip_algorithm",
    "detect_anomaly",
)
"""What an experiment may say to the Trainer; the rest is the runner's."""

TRAINER_DEFAULTS = {"accelerator": "cpu", "devices": 1, "num_nodes": 1, "log_every_n_steps": 50}
"""Where these differ from Lightning's: a run is as reproducible as it can be unless told else."""

PRECISIONS = ("32-true", "64-true", "bf16-mixed", "bf16-true", "16-mixed")
"""Each by its one name. Not 16-true: the first loss of the recogniser is NaN in it."""


def with_defaults(trainer: dict[str, Any]) -> dict[str, Any]:
    """An experiment's arguments of the Trainer, and those that it leaves to this package."""
    return {**TRAINER_DEFAULTS, **trainer}


def check_trainer(trainer: object) -> dict[str, Any]:
    """Check the names of the arguments, how long a run is, and its precision.

    Raises:
        ConfigError: an argument that is the runner's or nobody's; steps that do not fit together;
            a precision that would fail at the first step or be another in truth.
    """
    if not isinstance(trainer, dict):
        raise ConfigError(("trainer",), "must be a mapping: give max_steps and val_check_interval")
    for key in trainer:
        if key in TRAINER_KEYS:
            continue
        if key in parameters(pl.Trainer):
            raise ConfigError(("trainer", key), "the runner sets this itself: remove it")
        raise ConfigError(
            ("trainer", key), f"Trainer has no argument {key}: {hint(key, TRAINER_KEYS)}"
        )
    for key, meaning in (
        ("max_steps", "the training steps of every run"),
        ("val_check_interval", "the steps between two validations"),
    ):
        value = trainer.get(key)
        if type(value) is not int or value < 1:
            place = ("trainer", key) if key in trainer else ("trainer",)
            raise ConfigError(place, f"{key} must be a whole number above 0: it is {meaning}")
    for key, meaning in (
        ("devices", "the processes that share every batch, each with a device"),
        ("num_nodes", "the machines that do a run together, each with so many devices"),
        ("accumulate_grad_batches", "the rounds in which each of them computes its share"),
    ):
        value = trainer.get(key, 1)
        if type(value) is not int or value < 1:
            raise ConfigError(("trainer", key), f"must be a whole number above 0: it is {meaning}")
    for key, least in (("log_every_n_steps", 1), ("gradient_clip_val", 0)):
        value = trainer.get(key, least)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(("trainer", key), f"must be a number, not {value!r}: change it")
        if not least <= value < float("inf"):
            raise ConfigError(("trainer", key), f"must be at least {least} and finite, not {value}")
    if trainer["max_steps"] % trainer["val_check_interval"]:
        raise ConfigError(
            ("trainer", "val_check_interval"),
            "must divide max_steps, so that the last step is validated too: change one",
        )
    _check_precision(trainer)
    return trainer


def _check_precision(trainer: dict[str, Any]) -> None:
    precision = trainer.get("precision", "32-true")
    place = ("trainer", "precision")
    if precision not in PRECISIONS:
        raise ConfigError(place, f"must be one of {', '.join(PRECISIONS)}, not {precision}")
    if precision == "16-mixed" and with_defaults(trainer)["accelerator"] not in ("gpu", "cuda"):
        raise ConfigError(
            place, "16-mixed needs accelerator: gpu (elsewhere it is bf16-mixed): change one"
        )


def share_of(trainer: dict[str, Any], member: Membership) -> Share:
    """What of every batch one of a run's processes computes.

    Args:
        trainer: the experiment's arguments.
        member: the process.
    """
    return Share(member.process, member.processes, trainer.get("accumulate_grad_batches", 1))


def first_of(trainer: dict[str, Any]) -> Membership:
    """The first of the processes that an experiment asks for: the one that writes."""
    arguments = with_defaults(trainer)
    return Membership(0, arguments["devices"], arguments["num_nodes"])


def build_trainer(
    trainer: dict[str, Any], callbacks: list[pl.Callback], member: Membership = ALONE
) -> pl.Trainer:
    """Build the Trainer of a process of a run.

    Args:
        trainer: the experiment's arguments.
        callbacks: the runner's.
        member: which of the run's processes it is.

    Raises:
        ValueError, MisconfigurationException: Lightning refuses an argument.
    """
    _quiet()
    arguments = with_defaults(trainer)
    rounds = share_of(trainer, member).rounds
    together: dict[str, Any] = {}
    if member.processes > 1:
        # Parameters that no output hangs on would have every step wait; and where they are looked
        # for, gradients are added up in one order from the first step on, resumed or not. Buffers
        # are alike already, since all see the statistics of whole batches (total).
        strategy = DDPStrategy(find_unused_parameters=True, broadcast_buffers=False)
        together = {"strategy": strategy, "use_distributed_sampler": False}
        callbacks = [OwnSignals(), *callbacks]
    return pl.Trainer(
        **{
            **arguments,
            "devices": member.devices,
            "num_nodes": member.nodes,
            # Lightning counts rounds.
            "val_check_interval": arguments["val_check_interval"] * rounds,
        },
        **together,
        callbacks=callbacks,
        max_epochs=-1,
        check_val_every_n_epoch=None,
        num_sanity_val_steps=0,
        deterministic=True,
        # One process is told what it is, too: within a job Lightning would go by SLURM's variables.
        plugins=[DirectIO(), member],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )


def uncomputable(trainer: pl.Trainer, task: nn.Module) -> str | None:
    """What keeps a task from being computed in a Trainer's precision on this processor, in words.

    None where nothing is known to. Recurrent layers are tried, in their smallest size: oneDNN has
    those of bfloat16 under autocast for newer processors alone. An accelerator is not asked, since
    that would take up its memory.
    """
    precision = trainer.precision_plugin
    if trainer.strategy.root_device.type != "cpu":
        return None
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        if any(isinstance(module, kind) for module in task.modules()):
            try:
                _try(kind, precision)
            except RuntimeError as error:
                return (
                    f"this processor computes no {kind.__name__} in {precision.precision} "
                    f"({' '.join(str(error).split()[:5])} ...): leave it out (32-true), or compute "
                    "on another"
                )
    return None


def _try(kind: type[nn.LSTM | nn.GRU | nn.RNN], precision: Precision) -> None:
    # The chance that a run draws from must not know of this.
    with torch.random.fork_rng(devices=[]):
        layer = precision.convert_module(kind(1, 1))
    with precision.forward_context():
        outputs, _ = layer(precision.convert_input(torch.zeros(1, 1, 1)))
        outputs.sum().backward()


def _quiet() -> None:
    """Leave out what Lightning tells everyone, so that the words of a failure stand out."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="pytorch_lightning.utilities._pytree")
    warnings.filterwarnings("ignore", message=".*does not have many workers.*")
    # Scores are of all processes before they are logged.
    warnings.filterwarnings("ignore", message=".*when logging on epoch level in distributed.*")
    # Processes are begun by this package, and not by srun.
    warnings.filterwarnings("ignore", message="The `srun` command is available")
    warnings.filterwarnings("ignore", message=".*`broadcast_buffers` is deprecated.*")
