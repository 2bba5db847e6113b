"""What is checked before the first run: other configurations, and room on the disk."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiment.conftest import ExperimentFile
from experiment.running import TOY
from mocha_lightning.errors import UserError
from mocha_lightning.experiment import room
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.prepare import Prepared, prepare
from mocha_lightning.experiment.progress import Progress, write_progress
from mocha_lightning.experiment.result import write_result

MIB = 1 << 20


def prepared(file: Path, folder: Path, variants: list[str] | None = None, **how: Any) -> Prepared:
    experiment = load_experiment(file)
    return prepare(experiment, experiment.runs("cmd", variants), folder, **how)


@pytest.fixture
def begun(toy_file: ExperimentFile, tmp_path: Path) -> Path:
    """An experiment of which plain seed 0 has made steps and noisy seed 1 has a broken start."""
    folder = tmp_path / "runs"
    for spec in prepared(toy_file(), folder).specs:
        place = run_folder(folder, spec.variant, spec.seed)
        if spec.name in ("plain seed 0", "noisy seed 1"):
            place.mkdir(parents=True)
            spec.write(place)
        if spec.name == "plain seed 0":
            write_progress(place, Progress("training", 3, 20))
    return folder


def slower() -> dict[str, Any]:
    return {**TOY["task"], "init_args": {"learning_rate": 0.01}}


def test_old_and_new_runs_are_not_mixed_unasked(toy_file: ExperimentFile, begun: Path) -> None:
    with pytest.raises(UserError, match=r"1 of 4 runs were begun .* do the other runs alone"):
        prepared(toy_file(task=slower()), begun)


def test_only_what_is_missing_is_done_where_that_is_asked(
    toy_file: ExperimentFile, begun: Path
) -> None:
    """What made no step has nothing to lose, and is missing too."""
    found = prepared(toy_file(task=slower()), begun, only_missing=True)
    assert [spec.name for spec in found.specs] == ["noisy seed 0", "plain seed 1", "noisy seed 1"]
    assert found.left_alone == {"plain seed 0": "task.learning_rate was 0.05 and is 0.01"}


def test_nothing_is_left_alone_where_nothing_has_changed(
    toy_file: ExperimentFile, begun: Path
) -> None:
    found = prepared(toy_file(), begun, only_missing=True)
    assert len(found.specs) == 4
    assert found.left_alone == {}


def test_where_nothing_is_missing_that_is_said(toy_file: ExperimentFile, begun: Path) -> None:
    with pytest.raises(UserError, match=r"no run is missing, all were begun .* \(plain seed 0;"):
        prepared(toy_file(seeds=[0], task=slower()), begun, ["plain"], only_missing=True)


Room = Callable[[float], None]


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Room:
    """Set how many MiB are free; a run's logs need none, and a checkpoint 10 MiB."""
    monkeypatch.setattr(room, "ROOM_FOR_LOGS", 0)
    # The toy has 32 parameters.
    monkeypatch.setattr(room, "BYTES_PER_PARAMETER", 10 * MIB // 32)
    usage = shutil.disk_usage("/")

    def set_free(mib: float) -> None:
        left = usage._replace(free=int(mib * MIB))
        monkeypatch.setattr(shutil, "disk_usage", lambda _: left)

    return set_free


def test_four_runs_need_two_checkpoints_each_and_one_more_while_it_is_written(
    toy_file: ExperimentFile, tmp_path: Path, free: Room
) -> None:
    free(90)
    prepared(toy_file(), tmp_path / "runs")
    free(89.9)
    with pytest.raises(UserError) as caught:
        prepared(toy_file(), tmp_path / "runs")
    assert str(caught.value) == (
        f"{tmp_path}: 89 MiB are free and the 4 runs need about 90 more (2 checkpoints each, of up "
        "to 10 MiB, and logs): make room, choose another folder with --runs, or begin all the same "
        "with --whatever-room"
    )
    prepared(toy_file(), tmp_path / "runs", whatever_room=True)


def test_what_a_run_has_is_not_asked_for_again(
    toy_file: ExperimentFile, begun: Path, free: Room
) -> None:
    checkpoints = begun / "plain" / "seed-0" / "checkpoints"
    checkpoints.mkdir()
    for name in ("best", "last"):
        (checkpoints / f"{name}.ckpt").write_bytes(bytes(10 * MIB))
    free(70)
    prepared(toy_file(), begun)
    free(69)
    with pytest.raises(UserError, match="the 4 runs need about 70 more"):
        prepared(toy_file(), begun)


def test_a_finished_run_needs_nothing(toy_file: ExperimentFile, tmp_path: Path, free: Room) -> None:
    for spec in (specs := prepared(toy_file(), tmp_path / "runs").specs)[:3]:
        place = run_folder(tmp_path / "runs", spec.variant, spec.seed)
        place.mkdir(parents=True)
        spec.write(place)
        write_result(place, spec, {"metrics": {}, "ended": "completed", "provenance": {}})
    assert len(specs) == 4
    free(30)
    prepared(toy_file(), tmp_path / "runs")
    free(29)
    with pytest.raises(UserError, match="the 1 run needs about 30 more"):
        prepared(toy_file(), tmp_path / "runs")
