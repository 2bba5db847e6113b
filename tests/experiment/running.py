"""A toy experiment, and runs of it in processes of their own."""

import copy
import json
import multiprocessing
import os
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch
import yaml

from experiment.toy import ToyData
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.resolving import resolve
from mocha_lightning.experiment.run import do_for_runner
from mocha_lightning.experiment.server import preloaded
from mocha_lightning.experiment.sources import source_hashes
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import WandbSettings

MECHANISM = {"class_path": "experiment.toy.Mechanism"}
NOISY = {"class_path": "experiment.toy.Noisy"}
BARE = "experiment.toy.BareTask"
TOY: dict[str, Any] = {
    "task": {"class_path": "experiment.toy.ToyTask", "init_args": {"learning_rate": 0.05}},
    "data": {"class_path": "experiment.toy.ToyData"},
    "trainer": {"max_steps": 20, "val_check_interval": 5, "log_every_n_steps": 1},
    "seeds": [0, 1],
    "metric": {"name": "test/error", "mode": "min"},
    "variants": {"plain": {"task.mechanism": MECHANISM}, "noisy": {"task.mechanism": NOISY}},
    "comparisons": [["noisy", "plain"]],
}


def write_toy(folder: Path, **changes: Any) -> Path:
    """Write the toy experiment with some of its keys replaced."""
    path = folder / "toy.yaml"
    path.write_text(yaml.safe_dump({**TOY, **changes}, sort_keys=False))
    return path


def toy_spec(
    *,
    seed: int = 0,
    mechanism: dict[str, Any] = MECHANISM,
    trainer: dict[str, Any] | None = None,
    mode: Any = "min",
    metric: str = "test/error",
    **task: Any,
) -> RunSpec:
    """One run of the toy, with some arguments of the task or the trainer set."""
    config = copy.deepcopy({key: TOY[key] for key in ("task", "data", "trainer")})
    config["task"]["init_args"] |= {"mechanism": mechanism, **task}
    config["trainer"] |= trainer or {}
    return RunSpec(
        experiment="toy",
        variant="plain",
        seed=seed,
        differences={"task.mechanism": mechanism},
        metric=Metric(metric, mode),
        notes=("a toy",),
        threads=1,
        config=resolve(config),
        command="mocha-lightning run toy.yaml",
        data_sha256=ToyData.SHA256,
        places=ToyData.places,
        sources=source_hashes(config),
        files={"toy.yaml": "f" * 64},
    )


WANDERING_RATE = 1.0
WANDERING = toy_spec(
    mechanism=NOISY,
    trainer={"gradient_clip_val": 1.0},
    learning_rate=WANDERING_RATE,
    weight_noise=0.02,
)
"""A run that does best before its last step."""


def slowly(spec: RunSpec, seconds: float) -> RunSpec:
    """The same run, whose steps take so long."""
    config = copy.deepcopy(spec.config)
    config["task"]["init_args"]["step_seconds"] = seconds
    return replace(spec, config=config)


def run_in_process(
    spec: RunSpec, folder: Path, *, dies_at: str = "", wandb: str | WandbSettings = "disabled"
) -> int | None:
    """Do a run in a process of its own, which may be told to die; give its exit code."""
    process = start_process(spec, folder, dies_at=dies_at, wandb=wandb)
    process.join(180)
    return process.exitcode


def start_process(
    spec: RunSpec,
    folder: Path,
    *,
    dies_at: str = "",
    wandb: str | WandbSettings = "disabled",
    meant: RunSpec | None = None,
) -> BaseProcess:
    """Begin a run in a process of its own; it may have been meant to be another."""
    folder.mkdir(parents=True, exist_ok=True)
    spec.write(folder)
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload([*preloaded(WandbSettings()), "experiment.toy"])
    process = server.Process(target=_do, args=(folder, wandb, dies_at, (meant or spec).config_hash))
    process.start()
    return process


def _do(folder: Path, wandb: str | WandbSettings, dies_at: str, config_hash: str) -> None:
    os.environ["TOY_DIES_AT"] = dies_at
    settings = WandbSettings(wandb) if isinstance(wandb, str) else wandb
    do_for_runner(folder, settings, config_hash)


def result(folder: Path) -> dict[str, Any]:
    """The result of a run."""
    content: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return content


def bits(folder: Path) -> dict[str, Any]:
    """All that must repeat to the last bit: scores, curves, predictions, weights, optimiser."""
    content = result(folder)
    found: dict[str, Any] = {
        key: content[key] for key in ("metrics", "best_step", "steps", "ended")
    }
    for name in ("curves.jsonl", "predictions.jsonl"):
        found[name] = (folder / name).read_text()
    for name in ("best", "last"):
        state = torch.load(folder / "checkpoints" / f"{name}.ckpt", weights_only=True)
        for key, weight in state["state_dict"].items():
            found[f"{name} {key}"] = weight.numpy().tobytes()
        for number, moments in state["optimizer_states"][0]["state"].items():
            for key, value in moments.items():
                found[f"{name} {number} {key}"] = value.numpy().tobytes()
        found[f"{name} schedule"] = state["lr_schedulers"]
    return found


def finish(folder: Path, **changes: Any) -> str:
    """Leave the result of a run in its folder, or another one."""
    content = {
        "schema": 1,
        "experiment": folder.parent.parent.name,
        "variant": folder.parent.name,
        "seed": int(folder.name.removeprefix("seed-")),
        "config_hash": "0",
        "metrics": {},
        "ended": "completed",
        "provenance": {},
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**content, **changes})
    (folder / "result.json").write_text(text)
    return text
