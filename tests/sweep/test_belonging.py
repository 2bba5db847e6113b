"""Whether a sweep, a study and a folder belong together."""

from pathlib import Path

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.sweep.belonging import check
from mocha_lightning.sweep.definition import load_sweep
from mocha_lightning.sweep.record import record

from .conftest import SHA256, SweepFile, begin


def files(folder: Path) -> dict[Path, int]:
    """What is there, and when it was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("storage", ["sqlite", "journal"])
def test_a_check_of_what_has_not_begun_or_may_go_on_finds_nothing_and_leaves_nothing(
    sweep_file: SweepFile, tmp_path: Path, storage: str
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    check(sweep, folder, storage, SHA256)
    assert not folder.exists()
    begin(sweep, folder, storage)
    before = files(folder)
    check(sweep, folder, storage, SHA256)
    assert files(folder) == before


def test_a_check_refuses_what_the_sweep_would_refuse(sweep_file: SweepFile, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    begin(load_sweep(sweep_file()), folder)
    with pytest.raises(UserError, match=r"another sweep \(seed was 0 and is 1\)"):
        check(load_sweep(sweep_file(seed=1)), folder, "sqlite", SHA256)
    with pytest.raises(UserError, match="storage nowhere: is not sqlite, journal or the URL"):
        check(load_sweep(sweep_file()), folder, "nowhere", SHA256)


def test_a_forgotten_storage_is_told_and_leaves_nothing(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    begin(sweep, folder, "journal")
    before = files(folder)
    with pytest.raises(UserError, match="give --runs and --storage as before"):
        begin(sweep, folder, "sqlite")
    record(sweep, folder, "journal")
    with pytest.raises(UserError, match="give --storage journal, as before, or give the sweep"):
        check(sweep, folder, "sqlite", SHA256)
    assert files(folder).keys() == {*before, folder / "sweep.yaml"}


@pytest.mark.parametrize("storage", ["sqlite", "journal"])
def test_a_storage_that_was_emptied_is_not_called_another(
    sweep_file: SweepFile, tmp_path: Path, storage: str
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    assert begin(sweep, folder, storage).study.take()
    record(sweep, folder, storage)
    (path,) = {*folder.glob("study.db"), *folder.glob("study.journal")}
    path.write_bytes(b"")
    with pytest.raises(UserError, match=f"a whole copy of what it was, if {storage} is damaged"):
        check(sweep, folder, storage, SHA256)


def test_trials_of_a_study_that_a_storage_does_not_know_are_refused(
    sweep_file: SweepFile, tmp_path: Path
) -> None:
    sweep, folder = load_sweep(sweep_file()), tmp_path / "runs"
    assert begin(sweep, folder).study.take()
    other = f"sqlite:///{tmp_path / 'other.db'}"
    begin(load_sweep(sweep_file(), name="other"), tmp_path / "other", other)
    with pytest.raises(UserError, match="its trials are not those of the study rate in storage"):
        check(sweep, folder, other, SHA256)
