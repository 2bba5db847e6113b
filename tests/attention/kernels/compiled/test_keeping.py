"""Compiled code is kept between processes, and never when its source has changed."""

import errno
from pathlib import Path

import numba
import pytest

from mocha_lightning.attention.kernels.compiled import keeping
from mocha_lightning.attention.kernels.compiled.native import native


def test_the_folder_goes_by_the_content_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "user_cache_path", lambda name: tmp_path / name)
    (tmp_path / "kernels.py").write_text("calls what is in the other file")
    folders = []
    for content in ("one", "two", "one"):
        (tmp_path / "called.py").write_text(content)
        before = numba.config.CACHE_DIR
        with keeping.kept_by_content(tmp_path) as kept:
            assert kept
            folders.append(numba.config.CACHE_DIR)
        assert before == numba.config.CACHE_DIR
    assert folders[0] == folders[2] != folders[1]


def test_nothing_is_kept_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path / "file")
    with keeping.kept_by_content(tmp_path) as kept:
        assert not kept
    assert "every time" in said(caplog)


def test_a_first_compilation_is_announced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path)
    for _ in range(2):
        with keeping.kept_by_content(tmp_path):
            pass
    assert f"once: they are kept in {tmp_path}" in said(caplog)


def test_what_is_kept_is_taken_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path)
    with keeping.kept_by_content(tmp_path):
        Path(numba.config.CACHE_DIR, "kept").touch()
    keeping._say.cache_clear()
    caplog.clear()
    with keeping.kept_by_content(tmp_path):
        pass
    assert not caplog.records


@pytest.fixture(autouse=True)
def nothing_said_before() -> None:
    keeping._say.cache_clear()


def said(caplog: pytest.LogCaptureFixture) -> str:
    (record,) = caplog.records
    return record.getMessage()


@pytest.mark.parametrize("damage", ["", "not what Numba wrote"])
def test_damaged_files_are_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path)

    def compiled() -> int:
        @native(integers=1, pointers=0)
        def twice(number):
            return 2 * number

        return twice(21)

    assert compiled() == 42
    kept = [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]
    assert kept
    for file in kept:
        file.write_text(damage)
    assert compiled() == 42
    assert not any(file.exists() for file in kept)
    assert compiled() == 42
    assert all(file.exists() for file in kept)


def test_a_disk_that_is_full_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path)
    monkeypatch.setattr(numba.core.caching.IndexDataCacheFile, "save", full)

    @native(integers=1, pointers=0)
    def thrice(number):
        return 3 * number

    assert thrice(14) == 42
