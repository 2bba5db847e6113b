"""A finished run done again elsewhere, and compared with the first to the last bit."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.inert import load
from mocha_lightning.experiment.places import (
    BEST_CHECKPOINT,
    CHECKPOINTS,
    CONFIG,
    LAST_CHECKPOINT,
    PREDICTIONS,
    RESULT,
    run_folder,
)
from mocha_lightning.experiment.provenance import provenance, taking_part
from mocha_lightning.experiment.resolving import instantiate
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.runner import State, Watch, run_all
from mocha_lightning.experiment.sources import source_hashes
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

ORIGINS = ("commit", "dirty", "diff_sha256", "versions", "hardware")
"""What of a run's provenance may be why it differs from another."""
WEIGHTS = (BEST_CHECKPOINT, LAST_CHECKPOINT)


def read_finished(folder: Path) -> RunSpec:
    """Read what a finished run was.

    Raises:
        UserError: it is none, is not finished, or the code of its own classes has changed; or what
            it has left could not be compared with a repetition, which is known before the time is
            spent.
    """
    if not (folder / CONFIG).is_file():
        raise UserError(
            f"{folder}: is no run's folder (there is no {CONFIG}): give one, such as "
            "runs/demo/mocha_w2/seed-0"
        )
    spec = RunSpec.read(folder)
    if not finished(folder, spec):
        raise UserError(f"{folder}: is not finished (there is no {RESULT}): finish it first")
    for module, now in source_hashes(spec.config).items():
        if spec.sources.get(module) != now:
            raise UserError(
                f"{folder}: {module} is not what it was for this run: bring that file back, or "
                "run the experiment anew"
            )
    try:
        compare_runs(folder, folder)
        origins_now(folder, spec)
    except (OSError, LookupError, TypeError, AttributeError) as error:
        raise UserError(
            f"{folder}: what it has left is not whole, so nothing can be compared with it "
            f"({type(error).__name__}: {error}): bring it back, or run the experiment anew"
        ) from error
    return spec


def kept(run: Path) -> dict[str, bool]:
    """What there is to compare, and whether a run has it: a copy may have been left without."""
    return {
        "scores": True,
        "predictions": (run / PREDICTIONS).exists(),
        "weights": all((run / CHECKPOINTS / name).exists() for name in WEIGHTS),
    }


def origins_now(run: Path, spec: RunSpec) -> list[str]:
    """Say in what a finished run was made differently from what would be made now.

    That may be why the two differ, and is known before the time is spent.
    """
    then = json.loads((run / RESULT).read_text("utf-8"))["provenance"]
    now = provenance("", taking_part(spec))
    versions = {**now["versions"], **instantiate(spec.config)[1].versions()}
    # Older results do not tell everything.
    now["versions"] = {package: versions.get(package) for package in then["versions"]}
    return [
        f"{key}: {then[key]}, again {now[key]}"
        for key in ORIGINS
        if key in then and then[key] != now[key]
    ]


def rerun(run: Path, spec: RunSpec, into: Path, watch: Watch) -> list[str]:
    """Do a run again, or what is left of that, and compare.

    W&B is told nothing of it.

    Args:
        run: the folder of the first.
        spec: what it was, from :func:`read_finished`.
        into: a folder for repetitions, as ``runs`` is one for runs.
        watch: is shown the run as it goes on.

    Returns:
        What :func:`compare_runs` says.

    Raises:
        UserError: the repetition failed, or would be in the place of the first.
        KeyboardInterrupt: asked to stop; called again, it goes on.
    """
    experiment = into / spec.experiment
    again = run_folder(experiment, spec.variant, spec.seed)
    if again.exists() and again.samefile(run):
        raise UserError(f"{again}: is the run itself: name another folder with --to")
    (done,) = run_all([spec], experiment, 1, Processes(DISABLED), watch)
    if done.state is State.FAILED:
        raise UserError(f"{done.name} failed: {done.problem}")
    return compare_runs(run, again)


def compare_runs(first: Path, second: Path) -> list[str]:
    """Compare two finished runs of one configuration: scores, predictions and weights.

    Returns:
        A sentence for each thing that is not the same to the last bit.
    """
    results = [json.loads((folder / RESULT).read_text("utf-8")) for folder in (first, second)]
    weights = (
        said
        for name in WEIGHTS
        for said in _weights(first / CHECKPOINTS / name, second / CHECKPOINTS / name)
    )
    return [
        *_scores(*results),
        *_predictions(first / PREDICTIONS, second / PREDICTIONS),
        *weights,
    ]


def _scores(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    values = [
        {
            **{name: metric["value"] for name, metric in each["metrics"].items()},
            **{key: each[key] for key in ("best_step", "steps", "ended", "parameters")},
        }
        for each in (one, other)
    ]
    for name in sorted({**values[0], **values[1]}):
        here, there = (each.get(name) for each in values)
        if not _same(here, there):
            yield f"{name}: {here!r}, again {there!r}"


def _same(here: object, there: object) -> bool:
    if isinstance(here, float) and isinstance(there, float):
        return struct.pack("d", here) == struct.pack("d", there)
    return here == there


def _predictions(one: Path, other: Path) -> Iterator[str]:
    if not one.exists():  # a copy of a run may have been left without
        return
    here, there = (path.read_bytes().splitlines() if path.exists() else [] for path in (one, other))
    if len(here) != len(there):
        yield f"{PREDICTIONS}: {len(here)} lines, again {len(there)}"
        return
    apart = [number for number, (a, b) in enumerate(zip(here, there, strict=True), 1) if a != b]
    if apart:
        yield f"{PREDICTIONS}: {len(apart)} of {len(here)} lines differ, the first is {apart[0]}"


def _weights(one: Path, other: Path) -> Iterator[str]:
    if not one.exists():
        return
    here, there = (load(path)["state_dict"] for path in (one, other))
    apart = [
        name
        for name in here
        if name not in there or not torch.equal(_bits(here[name]), _bits(there[name]))
    ]
    if apart:
        yield f"{one.name}: {len(apart)} of {len(here)} tensors differ, the first is {apart[0]}"


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.uint8) if tensor.dim() else tensor[None].view(torch.uint8)
