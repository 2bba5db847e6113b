"""The Trainer's arguments: what an experiment may say, and that what it may say works."""

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from recognizer.setting import MECHANISMS, speech, tiny
from torch import nn
from torch.utils.data import DataLoader

from experiment.conftest import ExperimentFile
from experiment.running import TOY, result, run_in_process, toy_spec
from mocha_lightning.errors import UserError
from mocha_lightning.experiment import building
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.trainer import (
    build_trainer,
    check_trainer,
    uncomputable,
    with_defaults,
)

STEPS = {"max_steps": 2, "val_check_interval": 1}


def test_what_is_not_said_is_at_this_packages_defaults() -> None:
    ours = {"accelerator": "cpu", "devices": 1, "num_nodes": 1, "log_every_n_steps": 50}
    assert with_defaults(STEPS) == {**STEPS, **ours}
    assert with_defaults({"log_every_n_steps": 7})["log_every_n_steps"] == 7


def test_auto_computes_on_the_processor_where_there_is_nothing_else() -> None:
    trainer = build_trainer({**STEPS, "accelerator": "auto"}, [])
    there = torch.accelerator.is_available()
    assert (trainer.strategy.root_device.type == "cpu") is not there


def test_validations_come_after_as_many_updates_however_many_rounds_these_have() -> None:
    arguments = check_trainer({**STEPS, "accumulate_grad_batches": 3})
    trainer = build_trainer(arguments, [])
    assert (trainer.max_steps, trainer.val_check_interval) == (2, 3)


def test_one_process_is_one_whatever_slurm_says_of_the_job_that_it_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    srun = tmp_path / "srun"
    srun.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with warnings.catch_warnings(record=True) as told:
        build_trainer(check_trainer(STEPS), [])
    assert not any("srun" in str(each.message) for each in told)
    monkeypatch.setenv("SLURM_NTASKS", "4")
    monkeypatch.setenv("SLURM_PROCID", "3")
    monkeypatch.setenv("SLURM_JOB_NAME", "mine")
    assert build_trainer(check_trainer(STEPS), []).is_global_zero


@pytest.mark.parametrize("mechanism", ["soft", "mocha"])
@pytest.mark.parametrize("precision", ["32-true", "64-true", "bf16-mixed", "bf16-true"])
def test_the_recognizer_trains_with_clipped_gradients_in_each_precision(
    precision: str, mechanism: str, request: pytest.FixtureRequest
) -> None:
    if precision == "bf16-mixed":
        request.getfixturevalue("mixed_precision")
    arguments = check_trainer({**STEPS, "gradient_clip_val": 1.0, "precision": precision})
    trainer = build_trainer(arguments, [])
    batches: Any = DataLoader([speech("one", "two"), speech("three")], batch_size=None)
    trainer.fit(tiny(MECHANISMS[mechanism]), batches, batches)
    assert trainer.global_step == 2
    assert math.isfinite(trainer.callback_metrics["train/loss"])
    assert math.isfinite(trainer.callback_metrics["val/loss"])


def test_a_run_can_be_in_mixed_precision(tmp_path: Any) -> None:
    trainer = {"precision": "bf16-mixed", "gradient_clip_val": 1.0}
    assert run_in_process(toy_spec(trainer=trainer), tmp_path) == 0
    assert result(tmp_path)["config"]["trainer"]["precision"] == "bf16-mixed"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"precision": "16-true"}, "must be one of 32-true, 64-true, bf16-mixed"),
        # Every precision has one name, so that equal configurations look equal.
        ({"precision": 32}, "must be one of 32-true, 64-true, bf16-mixed"),
        ({"precision": "bf16"}, "must be one of 32-true, 64-true, bf16-mixed"),
        ({"precision": None}, "must be one of 32-true, 64-true, bf16-mixed"),
        ({"precision": ["16-mixed"]}, "must be one of 32-true, 64-true, bf16-mixed"),
        ({"precision": "16-mixed"}, "16-mixed needs accelerator: gpu"),
        ({"precision": "16-mixed", "accelerator": "auto"}, "16-mixed needs accelerator: gpu"),
    ],
)
def test_a_precision_that_would_fail_or_be_another_is_refused(
    arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        check_trainer({**STEPS, **arguments})
    assert caught.value.keys == ("trainer", "precision")
    assert said in caught.value.problem


def on_cpu(precision: str, module: nn.Module) -> str | None:
    return uncomputable(build_trainer({**STEPS, "precision": precision}, []), module)


@pytest.mark.parametrize("precision", ["32-true", "64-true", "bf16-mixed", "bf16-true"])
def test_a_precision_is_tried_on_this_processor(precision: str) -> None:
    """So the recogniser trains in it, or it is said before that it would not."""
    there = precision != "bf16-mixed" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    assert (on_cpu(precision, nn.Sequential(nn.LSTM(2, 3))) is None) is there


def test_a_layer_that_the_processor_cannot_compute_is_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("could not create a primitive descriptor\nfor the LSTM")

    monkeypatch.setattr(nn.LSTM, "forward", refuse)
    assert on_cpu("bf16-mixed", nn.Sequential(nn.LSTM(2, 3))) == (
        "this processor computes no LSTM in bf16-mixed (could not create a primitive ...): leave "
        "it out (32-true), or compute on another"
    )
    # A task without such a layer may be computed all the same.
    assert on_cpu("bf16-mixed", nn.Sequential(nn.Linear(2, 3))) is None


def test_trying_it_draws_no_chance() -> None:
    layer = nn.LSTM(2, 3)
    before = torch.get_rng_state()
    on_cpu("32-true", layer)
    assert torch.equal(torch.get_rng_state(), before)


def test_what_the_processor_cannot_compute_is_refused_before_any_run(
    toy_file: ExperimentFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "uncomputable", lambda *_: "not here")
    file = toy_file(trainer={**TOY["trainer"], "precision": "bf16-mixed"})
    experiment = load_experiment(file)
    with pytest.raises(UserError) as caught:
        building.build_each(experiment.variants, experiment.metric)
    assert str(caught.value) == f"{file}:11: trainer.precision (variant plain): not here"


def test_half_precision_is_for_an_accelerator() -> None:
    arguments = {**STEPS, "precision": "16-mixed", "accelerator": "gpu"}
    assert check_trainer(arguments) == arguments


def test_a_refused_precision_is_named_by_file_and_key(toy_file: ExperimentFile) -> None:
    file = toy_file(trainer={**TOY["trainer"], "precision": "16-true"})
    with pytest.raises(UserError) as caught:
        load_experiment(file)
    assert str(caught.value) == (
        f"{file}:11: trainer.precision (variant plain): must be one of 32-true, 64-true, "
        "bf16-mixed, bf16-true, 16-mixed, not 16-true"
    )
