"""Room on the disk for a sweep's checkpoints."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.experiment import room
from mocha_lightning.sweep.definition import Sweep, load_sweep
from mocha_lightning.sweep.room import check_room_for_trials

from .conftest import SweepFile

MIB = 1 << 20
PARAMETERS = 32

Room = Callable[[int], None]


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Room:
    """Set how many MiB are free; a run's logs need none, and a checkpoint 10 MiB."""
    monkeypatch.setattr(room, "ROOM_FOR_LOGS", 0)
    monkeypatch.setattr(room, "BYTES_PER_PARAMETER", 10 * MIB // PARAMETERS)
    usage = shutil.disk_usage("/")

    def set_free(mib: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=mib * MIB))

    return set_free


@pytest.fixture
def sweep(sweep_file: SweepFile) -> Sweep:
    """Three trials of two runs."""
    return load_sweep(sweep_file())


def test_six_runs_keep_their_best_and_two_trials_at_work_have_three_more_each(
    sweep: Sweep, tmp_path: Path, free: Room
) -> None:
    free(120)
    check_room_for_trials(sweep, tmp_path / "runs", PARAMETERS, jobs=2)
    free(119)
    with pytest.raises(UserError) as caught:
        check_room_for_trials(sweep, tmp_path / "runs", PARAMETERS, jobs=2)
    assert str(caught.value) == (
        f"{tmp_path}: 119 MiB are free and 3 trials of 2 runs need about 120 more (the best "
        "checkpoint of each run, more of those at work, of up to 10 MiB, and logs): make room, "
        "choose another folder with --runs, or begin all the same with --whatever-room"
    )


def test_trials_that_are_over_and_what_others_have_are_not_asked_for(
    sweep: Sweep, tmp_path: Path, free: Room
) -> None:
    for number in (0, 1):
        (tmp_path / f"trial-000{number}").mkdir()
        (tmp_path / f"trial-000{number}" / "trial.json").touch()
    checkpoints = tmp_path / "trial-0002" / "seed-0" / "checkpoints"
    checkpoints.mkdir(parents=True)
    (checkpoints / "last.ckpt").write_bytes(bytes(10 * MIB))
    free(40)
    check_room_for_trials(sweep, tmp_path, PARAMETERS, jobs=2)
    free(39)
    with pytest.raises(UserError, match="39 MiB are free and 1 trial needs about 40 more"):
        check_room_for_trials(sweep, tmp_path, PARAMETERS, jobs=2)


def test_a_sweep_that_is_over_needs_nothing(sweep: Sweep, tmp_path: Path, free: Room) -> None:
    for number in range(3):
        (tmp_path / f"trial-000{number}").mkdir()
        (tmp_path / f"trial-000{number}" / "trial.json").touch()
    free(0)
    check_room_for_trials(sweep, tmp_path, PARAMETERS, jobs=2)
